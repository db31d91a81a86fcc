/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of blackboard-static.c that are a line or less; see blackboard-storage.h. */
#ifndef BLACKBOARD_STATIC_H_
#define BLACKBOARD_STATIC_H_

uint_fast8_t blackboard_storage_number_of_places(uint_fast8_t node);

#define blackboard_storage_init()
#define blackboard_storage_is_sound(event) true /* the positions are constants */
#define blackboard_storage_link(node, event)
#define blackboard_storage_unlink(node)

/* An event has the places that it was given. */
#define blackboard_storage_sub_events_for(event, subscriptions) 0
#define blackboard_storage_are_one(event, other) ((event) == (other))
#define blackboard_storage_is_own(event) true
#define blackboard_storage_most(event) blackboard_storage_number_of_places(event)
#define blackboard_storage_fits(event, places, conditions) true
#define blackboard_storage_has(places) true
#define blackboard_storage_grow(event) 0 /* doesn't come to it */
#define blackboard_storage_close_gaps()

static inline uint_fast8_t
blackboard_storage_next(uint_fast8_t node)
{
  node = node == BLACKBOARD_STORAGE_NO_NODE ? 0 : node + 1;
  return node < BLACKBOARD_STORAGE_NODES ? node : BLACKBOARD_STORAGE_NO_NODE;
}

#endif
