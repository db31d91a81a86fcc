/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "blackboard-handler.h"
#include "blackboard-tree.h"

_Static_assert(BLACKBOARD_CHANGES <= 32, "bits of a number");
_Static_assert(BLACKBOARD_NUMBER_OF_EVENTS < 126, "events have seven bits");
#define FEW_ENOUGH(name, type, values, subscribers) \
  _Static_assert((subscribers) < BLACKBOARD_NUMBER_OF_OTHERS - 1, "subscribers of " #name);
BLACKBOARD_EVENTS(FEW_ENOUGH)
#define SOME(number) ((number) > 0 ? (number) : 1)

uint32_t blackboard_references[SOME(BLACKBOARD_CHANGES)];
/*---------------------------------------------------------------------------*/
static uint_fast8_t
flags_of(unsigned place)
{
  uint_fast8_t flag = BLACKBOARD_STORAGE_POLLED + 1, flags = 0;

  while(flag-- > 0) {
    flags = flags << 1 | blackboard_storage_is(place, flag);
  }
  return flags;
}
/*---------------------------------------------------------------------------*/
static void
store(unsigned place, const struct blackboard_entry *entry, uint_fast8_t flags)
{
  uint_fast8_t flag;

  blackboard_storage_store(place, entry);
  for(flag = BLACKBOARD_STORAGE_ACTIVE; flag <= BLACKBOARD_STORAGE_POLLED; flag++) {
    blackboard_storage_set(place, flag, flags >> flag & 1);
  }
}
/*---------------------------------------------------------------------------*/
void
blackboard_tree_vacate(unsigned place)
{
  static const struct blackboard_entry none;

  store(place, &none, 0);
}
/*---------------------------------------------------------------------------*/
static int __attribute__((noinline)) /* it is smaller so */
find_free(uint_fast8_t event)
{
  return blackboard_tree_search(event, BLACKBOARD_TREE_OPEN, BLACKBOARD_NO_PLACE, 0);
}
/*---------------------------------------------------------------------------*/
/* The sub-event that the place forwards to. */
static uint_fast8_t
below(unsigned place)
{
  return *blackboard_storage_handler(place);
}
/*---------------------------------------------------------------------------*/
#if BLACKBOARD_STORAGE_OVERFLOWS
static void
move(unsigned from, unsigned to)
{
  struct blackboard_entry entry;

  blackboard_storage_load(from, &entry);
  store(to, &entry, flags_of(from));
  blackboard_tree_vacate(from);
}
/*---------------------------------------------------------------------------*/
/* If all nodes are full, the last subscription of the first node that has one moves to a new
   sub-event, to which its place then forwards. */
static unsigned
grow(uint_fast8_t event)
{
  struct blackboard_entry entry;
  uint_fast8_t sub_event;
  int place, last = BLACKBOARD_NO_PLACE;

  BLACKBOARD_TREE_EVERY_PLACE(event, BLACKBOARD_TREE_OPEN, place) {
    if(blackboard_storage_type(place)->number != BLACKBOARD_NUMBER_OF_OTHERS) {
      if(last != BLACKBOARD_NO_PLACE && BLACKBOARD_NODE(last) != BLACKBOARD_NODE(place)) {
        break;
      }
      last = place;
    }
  }
  sub_event = blackboard_tree_take_sub_event(event);
  move(last, BLACKBOARD_PLACE(sub_event, 0));
  blackboard_storage_load(last, &entry); /* as it was left: empty */
  entry.type.kind = BLACKBOARD_KIND_FORWARD;
  entry.type.number = BLACKBOARD_NUMBER_OF_OTHERS;
  entry.handler = sub_event;
  store(last, &entry, 1 << BLACKBOARD_STORAGE_ACTIVE | 1 << BLACKBOARD_STORAGE_RESERVED);
  return BLACKBOARD_PLACE(sub_event, 1);
}
/*---------------------------------------------------------------------------*/
/* Empties one sub-event that forwards to none, if its subscriptions find room in other places and in
   the one that forwarded to it. */
static bool
close_gap(uint_fast8_t event)
{
  uint_fast8_t free = 0, node = event;
  int place = BLACKBOARD_NO_PLACE, leaf = BLACKBOARD_NO_PLACE;

  while((place = blackboard_tree_search(event, BLACKBOARD_TREE_OPEN, place, 0)) != BLACKBOARD_NO_PLACE) {
    free++;
  }
  while((place = blackboard_tree_search(event, BLACKBOARD_TREE_OPEN, place, BLACKBOARD_NUMBER_OF_OTHERS)) != BLACKBOARD_NO_PLACE) {
    if(BLACKBOARD_NODE((unsigned)place) == node) {
      leaf = place;
      node = below(place);
      place = BLACKBOARD_NO_PLACE;
    }
  }
  if(leaf == BLACKBOARD_NO_PLACE || free < BLACKBOARD_STORAGE_FRAME_PLACES - 1) {
    return false;
  }
  blackboard_tree_vacate(leaf);
  blackboard_tree_free_sub_event(node); /* so that nothing moves to it */
  for(place = BLACKBOARD_PLACE(node, 0);
      BLACKBOARD_NUMBER_IN_NODE(place) < BLACKBOARD_STORAGE_FRAME_PLACES;
      place++) {
    if(blackboard_storage_type(place)->number != 0) {
      move(place, find_free(event));
    }
  }
  return true;
}
#define CAN_GROW BLACKBOARD_TREE_HAS_SUB_EVENTS
#else
#define grow blackboard_storage_grow
#define CAN_GROW true
#endif
/*---------------------------------------------------------------------------*/
void
blackboard_tree_optimise(uint_fast8_t changing)
{
#if BLACKBOARD_STORAGE_OVERFLOWS
  uint_fast8_t event;

  for(event = 0; BLACKBOARD_TREE_HAS_SUB_EVENTS && event < BLACKBOARD_NUMBER_OF_EVENTS;
      event++) {
    if(event == changing || !blackboard_is_blocked(event)) {
      while(close_gap(event)) {
      }
      blackboard_tree_settle(event);
    }
  }
#endif
  blackboard_storage_close_gaps();
}
/*---------------------------------------------------------------------------*/
bool
blackboard_tree_is_short(void)
{
  return (BLACKBOARD_STORAGE_OVERFLOWS && BLACKBOARD_TREE_HAS_SUB_EVENTS
          && blackboard_tree_sub_events.used == BLACKBOARD_STORAGE_SUB_EVENTS)
    || !blackboard_storage_has(1);
}
/*---------------------------------------------------------------------------*/
/* Places that forward to an empty sub-event leave the tree; others are active if that sub-event has
   active places. Returns all flags that the node's places have. */
static uint_fast8_t
settle(uint_fast8_t node)
{
  unsigned place = BLACKBOARD_PLACE(node, 0);
  uint_fast8_t n = blackboard_storage_number_of_places(node), flags = 0;

  for(; n-- > 0; place++) {
    if(blackboard_storage_type(place)->kind & BLACKBOARD_KIND_FORWARD) {
      uint_fast8_t sub_event = below(place), its = settle(sub_event);

      blackboard_storage_set(place, BLACKBOARD_STORAGE_ACTIVE, its & 1 << BLACKBOARD_STORAGE_ACTIVE);
      if(!(its & 1 << BLACKBOARD_STORAGE_RESERVED)) {
        blackboard_tree_vacate(place);
        blackboard_tree_free_sub_event(sub_event);
      }
    }
    flags |= flags_of(place);
  }
  return flags;
}
/*---------------------------------------------------------------------------*/
void
blackboard_tree_settle(uint_fast8_t event)
{
  if(!(settle(event) & 1 << BLACKBOARD_STORAGE_ACTIVE)) {
    blackboard_storage_set(BLACKBOARD_PUBLISHED(event), BLACKBOARD_STORAGE_ACTIVE, false);
  }
}
/*---------------------------------------------------------------------------*/
/* The references that are in use, or can't be used, as bits. */
#define NO_REFERENCES \
  (BLACKBOARD_CHANGES < 32 ? ~(uint32_t)0 << BLACKBOARD_CHANGES % 32 : 0)
#define ALL_REFERENCES ~(uint32_t)0

/* Whether there is room for the subscription beside all others, within the declared numbers. Places
   that have its event and number are not among the others, but in `held`. Events that share their
   subscriptions have the places of one. */
static bool
has_room(uint_fast8_t event, uint_fast8_t number,
         const struct blackboard_subscription *subscription,
         uint32_t *references, uint_fast8_t *held)
{
  unsigned links = 0, places = 0, needed = 0, words;
  uint_fast8_t i, more = subscription->number_of_conditions;
  uint32_t taken = NO_REFERENCES;

  *held = 0;
  for(i = 0; i < BLACKBOARD_NUMBER_OF_EVENTS; i++) {
    bool is_its = blackboard_storage_are_one(i, event);
    uint_fast8_t subscriptions = is_its;
    int place;

    if(!blackboard_storage_is_own(i)) {
      continue;
    }
    BLACKBOARD_TREE_EVERY_PLACE(i, BLACKBOARD_TREE_ALL, place) {
      struct blackboard_type type = *blackboard_storage_type(place);

      if(is_its && type.number == number + 1) {
        ++*held;
      } else if(type.number != 0
                && (!BLACKBOARD_TREE_HAS_SUB_EVENTS || type.number != BLACKBOARD_NUMBER_OF_OTHERS)) {
        places++;
        if(type.kind & BLACKBOARD_KIND_FORWARD) {
          links++;
        } else {
          subscriptions++;
        }
        if(BLACKBOARD_KIND_COMPARISON(type.kind) == BLACKBOARD_CHANGED) {
          taken |= (uint32_t)1 << type.change;
        }
      }
    }
    if(is_its && subscriptions > blackboard_storage_most(i)) {
      return false;
    }
    needed += blackboard_storage_sub_events_for(i, subscriptions);
  }
  *references = taken;
  for(i = 0; i < more; i++) {
    if(subscription->conditions[i].comparison == BLACKBOARD_CHANGED) {
      if(taken == ALL_REFERENCES) {
        return false;
      }
      taken |= taken + 1; /* the least free one */
    }
  }
  places += more + (more == 0);
  words = BLACKBOARD_STORAGE_VALUES + BLACKBOARD_STORAGE_WORDS_OF_A_PLACE * (places + needed);
  more -= more > 0;
  if(links + more > BLACKBOARD_CONDITIONS
     || !blackboard_storage_fits(event, places, more)) {
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
static bool __attribute__((noinline)) /* it is smaller so */
is_short(uint_fast8_t event, uint_fast8_t places, uint_fast8_t own)
{
  if((BLACKBOARD_TREE_HAS_SUB_EVENTS || !BLACKBOARD_STORAGE_OVERFLOWS) && own == 0) {
    own = find_free(event) != BLACKBOARD_NO_PLACE;
  }
  return (BLACKBOARD_TREE_HAS_SUB_EVENTS && places + blackboard_tree_sub_events.used
          > BLACKBOARD_STORAGE_SUB_EVENTS + (own > 0 ? own : !BLACKBOARD_STORAGE_OVERFLOWS))
    || (places > own && !blackboard_storage_has(places - own));
}
/*---------------------------------------------------------------------------*/
int
blackboard_tree_put(uint_fast8_t event, uint_fast8_t number, uint_fast8_t thread,
                    const struct blackboard_subscription *subscription)
{
  uint_fast8_t left = subscription->number_of_conditions, flags, held, node;
  int place;
  uint32_t references;
  struct blackboard_entry entry;
  uint8_t kind = subscription->notification << 3;

  if(!has_room(event, number, subscription, &references, &held)) {
    return BLACKBOARD_NO_ROOM;
  }
  left += left == 0;
  if(is_short(event, left, held)) {
    blackboard_tree_optimise(event);
    if(is_short(event, left, held)) {
      return BLACKBOARD_BUSY; /* the gaps are in events that are blocked */
    }
  }
  flags = 1 << BLACKBOARD_STORAGE_ACTIVE | 1 << BLACKBOARD_STORAGE_RESERVED;
  place = blackboard_tree_find(event, number);
  if(place != BLACKBOARD_NO_PLACE) {
    flags = flags_of(place);
    blackboard_tree_vacate(place);
    blackboard_tree_settle(event);
  }
  entry.type.number = number + 1;
  entry.type.thread = thread;
  entry.handler = blackboard_handler_to_word((uintptr_t)subscription->handler.semaphore);
  entry.deadline = subscription->deadline;
  while(1) {
    left--;
    entry.type.kind = kind;
    entry.type.change = 0;
    entry.limit = 0;
    if(left < subscription->number_of_conditions) {
      entry.type.kind |= subscription->conditions[left].comparison;
      entry.limit = subscription->conditions[left].limit;
      if(BLACKBOARD_KIND_COMPARISON(entry.type.kind) == BLACKBOARD_CHANGED) {
        uint_fast8_t i = 0;
        while(references >> i & 1) {
          i++;
        }
        entry.type.change = i;
        references |= references + 1;
      }
    }
    if(!BLACKBOARD_TREE_HAS_SUB_EVENTS || left == 0) {
      break;
    }
    node = blackboard_tree_take_sub_event(event | BLACKBOARD_TREE_LINK);
    store(BLACKBOARD_PLACE(node, 0), &entry, flags);
    entry.handler = node;
    kind |= BLACKBOARD_KIND_FORWARD;
    flags = 1 << BLACKBOARD_STORAGE_RESERVED;
  }
  place = find_free(event);
  if(place == BLACKBOARD_NO_PLACE) {
    place = CAN_GROW ? grow(event) : 0;
  }
  store(place, &entry, flags);
  return BLACKBOARD_OK;
}
