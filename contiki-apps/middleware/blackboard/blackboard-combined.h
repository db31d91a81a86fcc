/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of blackboard-combined.c that are a line or less; see blackboard-storage.h. */
#ifndef BLACKBOARD_COMBINED_H_
#define BLACKBOARD_COMBINED_H_

bool blackboard_storage_is_sound(uint_fast8_t event);

#define blackboard_storage_init()
#define blackboard_storage_number_of_places(node) BLACKBOARD_STORAGE_FRAME_PLACES
#define blackboard_storage_unlink(node)

/* A node has its six places, so only sub-events can run out. Each of them takes one place
   for forwarding to it. */
#define blackboard_storage_fits(event, places, conditions) true
#define blackboard_storage_has(places) true
#define blackboard_storage_close_gaps()
#define blackboard_storage_are_one(event, other) ((event) == (other))
#define blackboard_storage_is_own(event) true
#define blackboard_storage_most(event) blackboard_storage_declared[event]

extern const uint8_t blackboard_storage_declared[];

static inline uint_fast8_t
blackboard_storage_sub_events_for(uint_fast8_t event, uint_fast8_t subscriptions)
{
  return subscriptions <= BLACKBOARD_STORAGE_FRAME_PLACES ? 0
    : (subscriptions - 2) / (BLACKBOARD_STORAGE_FRAME_PLACES - 1);
}

static inline uint_fast8_t
blackboard_storage_next(uint_fast8_t node)
{
  node = node == BLACKBOARD_STORAGE_NO_NODE ? 0 : node + 1;
  return node < BLACKBOARD_STORAGE_NODES ? node : BLACKBOARD_STORAGE_NO_NODE;
}

#endif
