/* SPDX-License-Identifier: Apache-2.0 */
/* What of blackboard-static.c is a line or less; see blackboard-storage.h. */
#ifndef BLACKBOARD_STATIC_H_
#define BLACKBOARD_STATIC_H_

uint_fast8_t storage_number_of_places(uint_fast8_t node);

#define storage_init()
#define storage_is_sound(event) true /* the positions are constants */
#define storage_link(node, event)
#define storage_unlink(node)

/* An event has the places that it was given. */
#define storage_sub_events_for(event, subscriptions) 0
#define storage_are_one(event, other) ((event) == (other))
#define storage_is_own(event) true
#define storage_most(event) storage_number_of_places(event)
#define storage_fits(event, places, conditions) true
#define storage_has(places) true
#define storage_grow(event) 0 /* doesn't come to it */
#define storage_close_gaps()

static inline uint_fast8_t
storage_next(uint_fast8_t node)
{
  node = node == STORAGE_NO_NODE ? 0 : node + 1;
  return node < STORAGE_NODES ? node : STORAGE_NO_NODE;
}

#endif
