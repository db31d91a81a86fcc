/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "blackboard-handler.h"
#include "blackboard-tree.h"

_Static_assert(BLACKBOARD_CHANGES <= 32, "bits of a number");
_Static_assert(BLACKBOARD_NUMBER_OF_EVENTS < 126, "events have seven bits");
#define SOME(number) ((number) > 0 ? (number) : 1)

/* Where there can't be any sub-events, the compiler leaves out what is for them. */
#define HAS_SUB_EVENTS (STORAGE_SUB_EVENTS > 0)

/* The events of sub-events, and 1; 0: it is free. */
static uint8_t events[SOME(STORAGE_SUB_EVENTS)];
#define FREE -1
#define LINK 128 /* and: it is of a condition */
static uint8_t free_sub_events = STORAGE_SUB_EVENTS;

uint32_t blackboard_references[SOME(BLACKBOARD_CHANGES)];

#define EVERY_PLACE(event, place) \
  for(place = NO_PLACE; (place = tree_next(event, place)) != NO_PLACE;)
/*---------------------------------------------------------------------------*/
static int
owner(unsigned node)
{
  return !HAS_SUB_EVENTS || node < BLACKBOARD_NUMBER_OF_EVENTS ? (int)node :
    events[node - BLACKBOARD_NUMBER_OF_EVENTS] - 1;
}
/*---------------------------------------------------------------------------*/
unsigned
tree_event(unsigned node)
{
  int event = owner(node);

  return event == FREE ? STORAGE_NO_NODE : event & ~LINK;
}
/*---------------------------------------------------------------------------*/
/* Those of the event itself come first: they have priority. */
int
tree_next(unsigned event, int last)
{
  unsigned place = last + 1, node = NODE(place);

  while(tree_event(node) != event
        || NUMBER_IN_NODE(place) >= storage_number_of_places(node)) {
    node++;
    if(node == STORAGE_NODES) {
      return NO_PLACE;
    }
    place = PLACE(node, 0);
  }
  return place;
}
/*---------------------------------------------------------------------------*/
int
tree_find(unsigned event, unsigned number)
{
  int place;

  EVERY_PLACE(event, place) {
    uint32_t type = *storage_type(place);
    if(TYPE_NUMBER(type) == number + 1 && !(type & TYPE_FORWARD)) {
      break;
    }
  }
  return place;
}
/*---------------------------------------------------------------------------*/
static unsigned
take_sub_event(unsigned event)
{
  unsigned i = 0;

  while(events[i] != 0) {
    i++;
  }
  events[i] = event + 1;
  free_sub_events--;
  i += BLACKBOARD_NUMBER_OF_EVENTS;
  storage_link(i, event & ~LINK);
  return i;
}
/*---------------------------------------------------------------------------*/
static void
free_sub_event(unsigned node)
{
  storage_unlink(node);
  events[node - BLACKBOARD_NUMBER_OF_EVENTS] = 0;
  free_sub_events++;
}
/*---------------------------------------------------------------------------*/
static unsigned
flags_of(unsigned place)
{
  unsigned flag = STORAGE_POLLED + 1, flags = 0;

  while(flag-- > 0) {
    flags = flags << 1 | storage_is(place, flag);
  }
  return flags;
}
/*---------------------------------------------------------------------------*/
static void
store(unsigned place, const struct entry *entry, unsigned flags)
{
  unsigned flag;

  storage_store(place, entry);
  for(flag = STORAGE_ACTIVE; flag <= STORAGE_POLLED; flag++) {
    if(flag != STORAGE_RESERVED) {
      storage_set(place, flag, flags >> flag & 1);
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
vacate(unsigned place)
{
  static const struct entry none;

  store(place, &none, 0);
}
/*---------------------------------------------------------------------------*/
/* A sub-event of a condition has no other place in use. */
void
tree_unsubscribe(unsigned event, unsigned number)
{
  int place;

  EVERY_PLACE(event, place) {
    if(TYPE_NUMBER(*storage_type(place)) == number + 1) {
      unsigned node = NODE(place);

      vacate(place);
      if(HAS_SUB_EVENTS && owner(node) & LINK) {
        free_sub_event(node);
      }
    }
  }
  tree_settle(event);
}
/*---------------------------------------------------------------------------*/
/* A place that is free, of those that see every value. */
static int
find_free(unsigned event)
{
  int place;

  EVERY_PLACE(event, place) {
    if(!storage_is(place, STORAGE_RESERVED)
       && !(owner(NODE(place)) & LINK)) {
      break;
    }
  }
  return place;
}
/*---------------------------------------------------------------------------*/
#if STORAGE_OVERFLOWS
static void
move(unsigned from, unsigned to)
{
  struct entry entry;

  storage_load(from, &entry);
  store(to, &entry, flags_of(from));
  vacate(from);
}
/*---------------------------------------------------------------------------*/
/* The place of the node that stands for others. */
static int
find_others(unsigned node)
{
  unsigned place = PLACE(node, STORAGE_FRAME_PLACES);

  while(NUMBER_IN_NODE(place) > 0) {
    place--;
    if(TYPE_NUMBER(*storage_type(place)) == NUMBER_OF_OTHERS) {
      return place;
    }
  }
  return NO_PLACE;
}
/*---------------------------------------------------------------------------*/
/* All is full: the last subscription of the first node that has any moves to a
   new sub-event, to which its place then forwards. */
static unsigned
grow(unsigned event)
{
  struct entry entry = { .type = TYPE_FORWARD | (uint32_t)NUMBER_OF_OTHERS << 8 };
  int place, last = NO_PLACE;

  EVERY_PLACE(event, place) {
    if(!(owner(NODE(place)) & LINK)
       && TYPE_NUMBER(*storage_type(place)) != NUMBER_OF_OTHERS) {
      if(last != NO_PLACE && NODE(last) != NODE(place)) {
        break;
      }
      last = place;
    }
  }
  entry.handler = take_sub_event(event);
  move(last, PLACE(entry.handler, 0));
  store(last, &entry, 1 << STORAGE_ACTIVE);
  return PLACE(entry.handler, 1);
}
/*---------------------------------------------------------------------------*/
/* Empty one sub-event that forwards to none: its subscriptions find room in
   other places, and in the one that forwarded to it. */
static bool
close_gap(unsigned event)
{
  unsigned free = 0, node = event;
  int place, leaf = NO_PLACE;

  EVERY_PLACE(event, place) {
    free += !storage_is(place, STORAGE_RESERVED)
      && !(owner(NODE(place)) & LINK);
  }
  while((place = find_others(node)) != NO_PLACE) {
    struct entry entry;

    storage_load(place, &entry);
    node = entry.handler;
    leaf = place;
  }
  if(leaf == NO_PLACE || free < STORAGE_FRAME_PLACES - 1) {
    return false;
  }
  vacate(leaf);
  free_sub_event(node); /* so that nothing moves to it */
  for(place = PLACE(node, 0); NUMBER_IN_NODE(place) < STORAGE_FRAME_PLACES;
      place++) {
    if(storage_is(place, STORAGE_RESERVED)) {
      move(place, find_free(event));
    }
  }
  return true;
}
#define CAN_GROW HAS_SUB_EVENTS
#else
#define grow storage_grow
#define CAN_GROW true
#endif
/*---------------------------------------------------------------------------*/
void
tree_optimise(unsigned changing)
{
#if STORAGE_OVERFLOWS
  unsigned event;

  for(event = 0; HAS_SUB_EVENTS && event < BLACKBOARD_NUMBER_OF_EVENTS;
      event++) {
    if(event == changing || !storage_is(BLOCKED(event), STORAGE_ACTIVE)) {
      while(close_gap(event)) {
      }
      tree_settle(event);
    }
  }
#endif
  storage_close_gaps();
}
/*---------------------------------------------------------------------------*/
bool
tree_is_short(void)
{
  return (STORAGE_OVERFLOWS && HAS_SUB_EVENTS && free_sub_events == 0)
    || !storage_has(1);
}
/*---------------------------------------------------------------------------*/
/* Those whose sub-events have none left leave the tree; the others are active
   as these are. */
void
tree_settle(unsigned event)
{
  bool changed;
  int place;

  do {
    changed = false;
    for(place = NO_PLACE; HAS_SUB_EVENTS
        && (place = tree_next(event, place)) != NO_PLACE;) {
      struct entry entry;

      storage_load(place, &entry);
      if(entry.type & TYPE_FORWARD) {
        unsigned below = PLACE(entry.handler, 0), flags = 0;
        unsigned n = storage_number_of_places(entry.handler);

        while(n-- > 0) {
          flags |= flags_of(below + n);
        }
        if(!(flags & 1 << STORAGE_RESERVED)) {
          vacate(place);
          free_sub_event(entry.handler);
          changed = true;
        } else if((flags & 1) != storage_is(place, STORAGE_ACTIVE)) {
          storage_set(place, STORAGE_ACTIVE, flags & 1);
          changed = true;
        }
      }
    }
  } while(changed);
  if(!blackboard_is_wanted(event)) {
    storage_set(PUBLISHED(event), STORAGE_ACTIVE, false);
  }
}
/*---------------------------------------------------------------------------*/
/* Whether there is room for the subscription beside all others; those that have
   its event and number are not among these, but in `held`. */
static bool
has_room(unsigned event, unsigned number,
         const struct blackboard_subscription *subscription,
         uint32_t *references, unsigned *held)
{
  unsigned links = 0, places = 0, sub_events = 0, changes = 0, i, words;
  unsigned more = subscription->number_of_conditions;

  *references = *held = 0;
  for(i = 0; i < more; i++) {
    changes += subscription->conditions[i].comparison == BLACKBOARD_CHANGED;
  }
  more += more == 0;
  for(i = 0; i < BLACKBOARD_NUMBER_OF_EVENTS; i++) {
    unsigned subscriptions = i == event;
    int place;

    EVERY_PLACE(i, place) {
      uint32_t type = *storage_type(place);

      if(i == event && TYPE_NUMBER(type) == number + 1) {
        ++*held;
      } else if(TYPE_NUMBER(type) != 0
                && (!HAS_SUB_EVENTS
                    || TYPE_NUMBER(type) != NUMBER_OF_OTHERS)) {
        places++;
        if(type & TYPE_FORWARD) {
          links++;
        } else {
          subscriptions++;
        }
        if(TYPE_COMPARISON(type) == BLACKBOARD_CHANGED) {
          *references |= (uint32_t)1 << TYPE_CHANGE(type);
          changes++;
        }
      }
    }
    sub_events += storage_sub_events_for(i, subscriptions);
  }
  words = STORAGE_VALUES
    + STORAGE_WORDS_OF_A_PLACE * (places + more + sub_events);
  sub_events += links + more - 1;
  if(changes > BLACKBOARD_CHANGES || sub_events > STORAGE_SUB_EVENTS
     || !storage_fits(event, places + more, more - 1)) {
    return false;
  }
  if(words > blackboard_counters.words_used) {
    blackboard_counters.words_used = words;
  }
  return true;
}
/*---------------------------------------------------------------------------*/
/* Whether gaps must be closed first. A subscription's own places, and its
   sub-events, are as good as free. */
static bool
is_short(unsigned event, unsigned places, unsigned own)
{
  if((HAS_SUB_EVENTS || !STORAGE_OVERFLOWS) && own == 0) {
    own = find_free(event) != NO_PLACE;
  }
  return (HAS_SUB_EVENTS && places > free_sub_events
          + (own > 0 ? own : !STORAGE_OVERFLOWS))
    || (places > own && !storage_has(places - own));
}
/*---------------------------------------------------------------------------*/
int
tree_put(unsigned event, unsigned number, unsigned thread,
    const struct blackboard_subscription *subscription)
{
  unsigned left = subscription->number_of_conditions, flags, held;
  bool again = false;
  int place;
  uint32_t references;
  struct entry entry;
  uint32_t common = (uint32_t)(number + 1) << 8 | (uint32_t)thread << 16
    | (uint32_t)subscription->notification << 3;

  if(number >= NUMBER_OF_OTHERS - 1
     || !has_room(event, number, subscription, &references, &held)) {
    return BLACKBOARD_NO_ROOM;
  }
  left += left == 0;
  while(is_short(event, left, held)) {
    if(again) {
      return BLACKBOARD_BUSY; /* the gaps are in events that are blocked */
    }
    tree_optimise(event);
    again = true;
  }
  flags = 1 << STORAGE_ACTIVE;
  place = tree_find(event, number);
  if(place != NO_PLACE) {
    flags = flags_of(place);
    tree_unsubscribe(event, number);
  }
  entry.handler = handler_to_word((uintptr_t)subscription->handler.semaphore);
  entry.deadline = subscription->deadline;
  while(1) {
    left--;
    entry.type = common;
    entry.limit = 0;
    if(left < subscription->number_of_conditions) {
      entry.type |= subscription->conditions[left].comparison;
      entry.limit = subscription->conditions[left].limit;
      if(TYPE_COMPARISON(entry.type) == BLACKBOARD_CHANGED) {
        unsigned i = 0;
        while(references >> i & 1) {
          i++;
        }
        references |= (uint32_t)1 << i;
        entry.type |= (uint32_t)i << 24;
      }
    }
    if(!HAS_SUB_EVENTS || left == 0) {
      break;
    }
    place = PLACE(take_sub_event(event | LINK), 0);
    store(place, &entry, flags);
    entry.handler = NODE(place);
    common |= TYPE_FORWARD;
    flags = 0;
  }
  place = find_free(event);
  if(place == NO_PLACE) {
    place = CAN_GROW ? grow(event) : 0;
  }
  store(place, &entry, flags);
  return number;
}
