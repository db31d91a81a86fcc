/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "blackboard-handler.h"
#include "blackboard-tree.h"

_Static_assert(BLACKBOARD_CHANGES <= 32, "bits of a number");
#define SOME(number) ((number) > 0 ? (number) : 1)

/* The events of sub-events; STORAGE_NO_NODE: it is free. */
static uint8_t events[SOME(STORAGE_SUB_EVENTS)];
static uint8_t free_sub_events;

uint32_t blackboard_references[SOME(BLACKBOARD_CHANGES)];
static uint32_t references; /* those in use */

static uint16_t words_used;
/*---------------------------------------------------------------------------*/
void
tree_init(void)
{
  storage_init();
  memset(events, STORAGE_NO_NODE, sizeof(events));
  free_sub_events = STORAGE_SUB_EVENTS;
  references = 0;
  words_used = STORAGE_VALUES;
}
/*---------------------------------------------------------------------------*/
uint8_t
tree_event(uint8_t node)
{
  return node < BLACKBOARD_NUMBER_OF_EVENTS ? node :
    events[node - BLACKBOARD_NUMBER_OF_EVENTS];
}
/*---------------------------------------------------------------------------*/
/* The places of the event itself come first: they have priority. */
static bool
find(uint8_t node, uint8_t number, struct spot *spot)
{
  uint8_t places = storage_places(node);
  struct spot at = { node, 0 };

  for(; at.place < places; at.place++) {
    if(number == (storage_is_reserved(node, at.place)
                  ? TYPE_NUMBER(TYPE(at)) : NUMBER_FREE)) {
      *spot = at;
      return true;
    }
  }
#if STORAGE_OVERFLOWS
  for(at.place = 0; at.place < places; at.place++) {
    if(storage_is_reserved(node, at.place)
       && TYPE_NUMBER(TYPE(at)) == NUMBER_FORWARD
       && find(HANDLER(at), number, spot)) {
      return true;
    }
  }
#endif
  return false;
}
/*---------------------------------------------------------------------------*/
bool
tree_find_subscription(uint8_t event, uint8_t number, struct spot *spot)
{
  return number < NUMBER_FREE && find(event, number, spot);
}
/*---------------------------------------------------------------------------*/
struct spot
tree_last(struct spot spot)
{
  while(TYPE(spot) & TYPE_FORWARD) {
    spot.node = HANDLER(spot);
    spot.place = 0;
  }
  return spot;
}
/*---------------------------------------------------------------------------*/
static uint8_t
take_sub_event(uint8_t event)
{
  uint8_t i = 0;

  while(events[i] != STORAGE_NO_NODE) {
    i++;
  }
  events[i] = event;
  free_sub_events--;
  storage_link(BLACKBOARD_NUMBER_OF_EVENTS + i, event);
  return BLACKBOARD_NUMBER_OF_EVENTS + i;
}
/*---------------------------------------------------------------------------*/
static void
free_sub_event(uint8_t node)
{
  storage_unlink(node);
  events[node - BLACKBOARD_NUMBER_OF_EVENTS] = STORAGE_NO_NODE;
  free_sub_events++;
}
/*---------------------------------------------------------------------------*/
static void
fill(struct spot at, uint32_t type, uint32_t limit, uint32_t handler)
{
  storage_reserve(at.node, at.place, true);
  TYPE(at) = type;
  LIMIT(at) = limit;
  HANDLER(at) = handler;
  words_used += STORAGE_WORDS_OF_A_PLACE;
  if(words_used > blackboard_counters.words_used) {
    blackboard_counters.words_used = words_used;
  }
}
/*---------------------------------------------------------------------------*/
static uint8_t
flags_of(struct spot at)
{
  uint8_t flag, flags = 0;

  for(flag = STORAGE_ACTIVE; flag <= STORAGE_POLLED; flag++) {
    flags |= storage_is(at.node, at.place, flag) << flag;
  }
  return flags;
}
/*---------------------------------------------------------------------------*/
static void
set_flags(struct spot at, uint8_t flags)
{
  uint8_t flag;

  for(flag = STORAGE_ACTIVE; flag <= STORAGE_POLLED; flag++) {
    storage_set(at.node, at.place, flag, flags >> flag & 1);
  }
}
/*---------------------------------------------------------------------------*/
static void
vacate(struct spot at)
{
  set_flags(at, 0);
  TYPE(at) = 0;
  storage_reserve(at.node, at.place, false);
  words_used -= STORAGE_WORDS_OF_A_PLACE;
}
/*---------------------------------------------------------------------------*/
static uint8_t
number_of_changes(const struct blackboard_subscription *subscription)
{
  uint8_t i, changes = 0;

  for(i = 0; i < subscription->number_of_conditions; i++) {
    changes += subscription->conditions[i].comparison == BLACKBOARD_CHANGED;
  }
  return changes;
}
/*---------------------------------------------------------------------------*/
/* Whether more is there: a place of the event's own, sub-events for
   conditions, references. */
static bool
has_room(uint8_t event, bool own, int links, int changes)
{
  uint8_t i;

  for(i = 0; i < BLACKBOARD_CHANGES; i++) {
    changes -= !(references >> i & 1);
  }
  return changes <= 0
    && links + (STORAGE_OVERFLOWS && own) <= free_sub_events
    && storage_fits(event, own, links + own);
}
/*---------------------------------------------------------------------------*/
/* Fill a place, and a sub-event for each condition after the first. */
static struct spot
fill_all(uint8_t event, struct spot at, uint8_t number, uint8_t thread,
         const struct blackboard_subscription *subscription)
{
  const struct blackboard_condition *condition = subscription->conditions;
  uint8_t left = subscription->number_of_conditions;
  uint32_t common = TYPE_USED | (storage_is_signed(event) ? TYPE_SIGNED : 0)
    | (uint32_t)subscription->notification << 3
    | (uint32_t)number << 8 | (uint32_t)thread << 16;

  while(1) {
    uint32_t type = common, limit = 0;
    uint8_t node;

    if(left > 0) {
      type |= condition->comparison;
      limit = condition->limit;
      if(condition->comparison == BLACKBOARD_CHANGED) {
        uint8_t i = 0;
        while(references >> i & 1) {
          i++;
        }
        references |= (uint32_t)1 << i;
        type |= (uint32_t)i << 24;
      }
      condition++;
      left--;
    }
    if(left == 0) {
      fill(at, type, limit,
           handler_to_word((uintptr_t)subscription->handler.semaphore));
      *storage_deadline(at.node, at.place) = subscription->deadline;
      return at;
    }
    node = take_sub_event(event);
    fill(at, type | TYPE_FORWARD, limit, node);
    at.node = node;
    at.place = 0;
  }
}
/*---------------------------------------------------------------------------*/
static void
vacate_all(struct spot at)
{
  uint32_t type;
  uint8_t node = STORAGE_NO_NODE;

  do {
    uint8_t next = HANDLER(at);
    type = TYPE(at);
    if(TYPE_COMPARISON(type) == BLACKBOARD_CHANGED) {
      references &= ~((uint32_t)1 << TYPE_CHANGE(type));
    }
    vacate(at);
    if(node != STORAGE_NO_NODE) {
      free_sub_event(node);
    }
    node = next;
    at.node = node;
    at.place = 0;
  } while(type & TYPE_FORWARD);
}
/*---------------------------------------------------------------------------*/
#if STORAGE_OVERFLOWS
static void
move(struct spot from, struct spot to)
{
  fill(to, TYPE(from), LIMIT(from), HANDLER(from));
  *storage_deadline(to.node, to.place) =
    *storage_deadline(from.node, from.place);
  set_flags(to, flags_of(from));
  vacate(from);
}
/*---------------------------------------------------------------------------*/
static bool
forwards_others(struct spot at)
{
  return storage_is_reserved(at.node, at.place)
    && TYPE_NUMBER(TYPE(at)) == NUMBER_FORWARD;
}
/*---------------------------------------------------------------------------*/
/* The node is full: its last subscription moves to a new sub-event, to which
   its place then forwards. A node of nothing but such places has none: those
   below are asked. */
static void
overflow(uint8_t event, uint8_t node)
{
  struct spot at = { node, STORAGE_FRAME_PLACES }, to = { 0, 0 };

  while(at.place-- > 0) {
    if(!forwards_others(at)) {
      to.node = take_sub_event(event);
      move(at, to);
      fill(at, TYPE_USED | TYPE_FORWARD | (uint32_t)NUMBER_FORWARD << 8, 0,
           to.node);
      return;
    }
  }
  at.place = 0;
  overflow(event, HANDLER(at));
}
/*---------------------------------------------------------------------------*/
static uint8_t
count_free(uint8_t node)
{
  struct spot at = { node, 0 };
  uint8_t number = 0;

  for(; at.place < STORAGE_FRAME_PLACES; at.place++) {
    if(!storage_is_reserved(node, at.place)) {
      number++;
    } else if(forwards_others(at)) {
      number += count_free(HANDLER(at));
    }
  }
  return number;
}
/*---------------------------------------------------------------------------*/
/* Empty one sub-event that has none below it: its subscriptions find room in
   the tree's other places and in the one that forwarded to it. */
static bool
close_gap(uint8_t event, uint8_t node)
{
  struct spot at = { node, 0 }, from, to;

  for(; at.place < STORAGE_FRAME_PLACES; at.place++) {
    if(forwards_others(at)) {
      from.node = HANDLER(at);
      if(!close_gap(event, from.node)) {
        vacate(at);
        for(from.place = 0; from.place < STORAGE_FRAME_PLACES; from.place++) {
          if(storage_is_reserved(from.node, from.place)) {
            find(event, NUMBER_FREE, &to);
            move(from, to);
          }
        }
        free_sub_event(from.node);
      }
      return true;
    }
  }
  return false;
}
#endif
/*---------------------------------------------------------------------------*/
void
tree_optimise(uint8_t changing)
{
#if STORAGE_OVERFLOWS
  uint8_t event;

  for(event = 0; event < BLACKBOARD_NUMBER_OF_EVENTS; event++) {
    if(event == changing || !storage_is(event, 0, STORAGE_BLOCKED)) {
      while(count_free(event) >= STORAGE_FRAME_PLACES - 1
            && close_gap(event, event)) {
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
  return (STORAGE_OVERFLOWS && STORAGE_SUB_EVENTS > 0 && free_sub_events == 0)
    || !storage_fits(0, false, 1);
}
/*---------------------------------------------------------------------------*/
int
tree_subscribe(uint8_t event, uint8_t thread,
               const struct blackboard_subscription *subscription)
{
  uint8_t links = subscription->number_of_conditions;
  uint8_t changes = number_of_changes(subscription), number = 0;
  struct spot spot;
  bool own, again = false;

  links -= links > 0;
  while(tree_find_subscription(event, number, &spot)) {
    number++;
  }
  while(own = !find(event, NUMBER_FREE, &spot),
        number >= NUMBER_FREE || !has_room(event, own, links, changes)) {
    if(again) {
      return BLACKBOARD_NO_ROOM;
    }
    tree_optimise(event);
    again = true;
  }
  if(own) {
#if STORAGE_OVERFLOWS
    overflow(event, event);
#endif
    storage_grow(event);
    find(event, NUMBER_FREE, &spot);
  }
  spot = fill_all(event, spot, number, thread, subscription);
  storage_set(spot.node, spot.place, STORAGE_ACTIVE, true);
  return number;
}
/*---------------------------------------------------------------------------*/
int
tree_modify(uint8_t event, uint8_t number, uint8_t thread,
            const struct blackboard_subscription *subscription)
{
  bool again = false;

  while(1) {
    int links = subscription->number_of_conditions;
    int changes = number_of_changes(subscription);
    struct spot spot, at;

    if(!tree_find_subscription(event, number, &spot)) {
      return BLACKBOARD_UNKNOWN_SUBSCRIPTION;
    }
    links -= links > 0;
    for(at = spot;; at.node = HANDLER(at), at.place = 0) {
      changes -= TYPE_COMPARISON(TYPE(at)) == BLACKBOARD_CHANGED;
      if(!(TYPE(at) & TYPE_FORWARD)) {
        break;
      }
      links--;
    }
    if(has_room(event, false, links, changes)) {
      uint8_t flags = flags_of(at);

      vacate_all(spot);
      at = fill_all(event, spot, number, thread, subscription);
      set_flags(at, flags);
      return BLACKBOARD_OK;
    }
    if(again) {
      return BLACKBOARD_NO_ROOM;
    }
    tree_optimise(event);
    again = true;
  }
}
/*---------------------------------------------------------------------------*/
int
tree_unsubscribe(uint8_t event, uint8_t number)
{
  struct spot spot;

  if(!tree_find_subscription(event, number, &spot)) {
    return BLACKBOARD_UNKNOWN_SUBSCRIPTION;
  }
  vacate_all(spot);
  return BLACKBOARD_OK;
}
/*---------------------------------------------------------------------------*/
bool
tree_settle(uint8_t node)
{
  struct spot at = { node, 0 };
  uint8_t places = storage_places(node);
  bool any = false;

  for(; at.place < places; at.place++) {
    bool active;

    if(!storage_is_reserved(node, at.place)) {
      continue;
    }
    active = storage_is(node, at.place, STORAGE_ACTIVE);
    if(TYPE(at) & TYPE_FORWARD) {
      uint8_t below = HANDLER(at);

      active = tree_settle(below);
#if STORAGE_OVERFLOWS
      if(forwards_others(at)
         && count_free(below) == STORAGE_FRAME_PLACES) {
        vacate(at);
        free_sub_event(below);
        active = false;
      } else
#endif
      {
        storage_set(node, at.place, STORAGE_ACTIVE, active);
      }
    }
    any |= active;
  }
  if(!any) {
    storage_set(node, 0, STORAGE_PUBLISHED, false);
  }
  return any;
}
