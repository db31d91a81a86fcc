/* SPDX-License-Identifier: Apache-2.0 */
/* What of blackboard-combined.c is a line or less; see blackboard-storage.h. */
#ifndef BLACKBOARD_COMBINED_H_
#define BLACKBOARD_COMBINED_H_

bool storage_is_sound(uint_fast8_t event);

#define storage_init()
#define storage_number_of_places(node) STORAGE_FRAME_PLACES
#define storage_unlink(node)

/* A node has its six places: what there may be too few of are sub-events. Each
   takes one place for forwarding to it. */
#define storage_fits(event, places, conditions) true
#define storage_has(places) true
#define storage_close_gaps()
#define storage_are_one(event, other) ((event) == (other))
#define storage_is_own(event) true
#define storage_most(event) storage_declared[event]

extern const uint8_t storage_declared[];

static inline uint_fast8_t
storage_sub_events_for(uint_fast8_t event, uint_fast8_t subscriptions)
{
  return subscriptions <= STORAGE_FRAME_PLACES ? 0
    : (subscriptions - 2) / (STORAGE_FRAME_PLACES - 1);
}

static inline uint_fast8_t
storage_next(uint_fast8_t node)
{
  node = node == STORAGE_NO_NODE ? 0 : node + 1;
  return node < STORAGE_NODES ? node : STORAGE_NO_NODE;
}

#endif
