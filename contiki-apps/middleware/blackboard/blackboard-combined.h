/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of blackboard-combined.c that are a line or less; see blackboard-storage.h. */
#ifndef BLACKBOARD_COMBINED_H_
#define BLACKBOARD_COMBINED_H_

bool blackboard_storage_is_sound(uint_fast8_t event);

/* A node has its six places, so only sub-events can run out. Each of them takes one place
   for forwarding to it. */
#define blackboard_storage_number_of_places(node) BLACKBOARD_STORAGE_FRAME_PLACES
#define blackboard_storage_most(event) blackboard_storage_declared[event]

extern const uint8_t blackboard_storage_declared[];

static inline uint_fast8_t
blackboard_storage_sub_events_for(uint_fast8_t event, uint_fast8_t subscriptions)
{
  return subscriptions <= BLACKBOARD_STORAGE_FRAME_PLACES ? 0
    : (subscriptions - 2) / (BLACKBOARD_STORAGE_FRAME_PLACES - 1);
}

#endif
