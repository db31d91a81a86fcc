/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes belong to an event, and which places these have. */
#include "blackboard-tree.h"

struct blackboard_tree_sub_events blackboard_tree_sub_events;
/*---------------------------------------------------------------------------*/
/* 255: a free one's. */
static uint8_t
owner(uint_fast8_t node)
{
  return !BLACKBOARD_TREE_HAS_SUB_EVENTS || node < BLACKBOARD_NUMBER_OF_EVENTS ? node :
    blackboard_tree_sub_events.events[node - BLACKBOARD_NUMBER_OF_EVENTS] - 1U;
}
/*---------------------------------------------------------------------------*/
uint_fast8_t
blackboard_tree_event(uint_fast8_t node)
{
  return owner(node) & BLACKBOARD_TREE_ALL;
}
/*---------------------------------------------------------------------------*/
int
blackboard_tree_next(uint_fast8_t event, uint_fast8_t which, int last)
{
  unsigned place = last + 1;
  uint_fast8_t node;

  for(node = BLACKBOARD_NODE(place); node < BLACKBOARD_STORAGE_NODES;
      place = BLACKBOARD_PLACE(++node, 0)) {
    if((owner(node) & which) == event
       && BLACKBOARD_NUMBER_IN_NODE(place) < blackboard_storage_number_of_places(node)) {
      return place;
    }
  }
  return BLACKBOARD_NO_PLACE;
}
/*---------------------------------------------------------------------------*/
int
blackboard_tree_search(uint_fast8_t event, uint_fast8_t which, int place, unsigned number)
{
  do {
    place = blackboard_tree_next(event, which, place);
  } while(place != BLACKBOARD_NO_PLACE
          && blackboard_storage_type(place)->number != number);
  return place;
}
/*---------------------------------------------------------------------------*/
int
blackboard_tree_find(uint_fast8_t event, uint_fast8_t number)
{
  int place = BLACKBOARD_NO_PLACE;

  do {
    place = blackboard_tree_search(event, BLACKBOARD_TREE_ALL, place, number + 1);
  } while(place != BLACKBOARD_NO_PLACE
          && blackboard_storage_type(place)->kind & BLACKBOARD_KIND_FORWARD);
  return place;
}
/*---------------------------------------------------------------------------*/
bool
blackboard_renumber(uint8_t thread, uint8_t now)
{
  uint_fast8_t node, n;
  bool has_any = false;

  for(node = 0; node < BLACKBOARD_STORAGE_NODES; node++) {
    for(n = blackboard_storage_number_of_places(node); n-- > 0;) {
      struct blackboard_type *type = blackboard_storage_type(BLACKBOARD_PLACE(node, n));

      if(type->number != 0 && type->thread == thread) {
        type->thread = now;
        has_any = true;
      }
    }
  }
  return has_any;
}
/*---------------------------------------------------------------------------*/
uint_fast8_t
blackboard_tree_take_sub_event(uint_fast8_t event)
{
  uint_fast8_t i = 0;

  while(blackboard_tree_sub_events.events[i] != 0) {
    i++;
  }
  blackboard_tree_sub_events.events[i] = event + 1;
  blackboard_tree_sub_events.used++;
  i += BLACKBOARD_NUMBER_OF_EVENTS;
  blackboard_storage_link(i, event & ~BLACKBOARD_TREE_LINK);
  return i;
}
/*---------------------------------------------------------------------------*/
void
blackboard_tree_free_sub_event(uint_fast8_t node)
{
  blackboard_storage_unlink(node);
  blackboard_tree_sub_events.events[node - BLACKBOARD_NUMBER_OF_EVENTS] = 0;
  blackboard_tree_sub_events.used--;
}
