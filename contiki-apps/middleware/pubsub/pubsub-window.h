/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a sequence that were seen: the newest, and of those below it
   as many as `seen` has bits. */
#ifndef PUBSUB_WINDOW_H_
#define PUBSUB_WINDOW_H_

#include <stdbool.h>
#include <stdint.h>

#define PUBSUB_WINDOW 32

struct pubsub_window {
  uint16_t newest;
  uint32_t seen; /* bit n: newest - n */
};

/* The number is the first of all. */
static inline void
pubsub_window_begin(struct pubsub_window *window, uint16_t first)
{
  window->newest = first - 1;
  window->seen = 0;
}

/* Enter a number; whether it is new. Numbers go round: one is newer than another if
   it is less than half a round ahead. */
static inline bool
pubsub_window_enter(struct pubsub_window *window, uint16_t number)
{
  int16_t ahead = (int16_t)(number - window->newest);
  uint32_t bit;

  if(ahead > 0) {
    window->seen = ahead < PUBSUB_WINDOW ? window->seen << ahead : 0;
    window->seen |= 1;
    window->newest = number;
    return true;
  }
  if(ahead <= -PUBSUB_WINDOW) {
    return false;
  }
  bit = (uint32_t)1 << -ahead;
  if(window->seen & bit) {
    return false;
  }
  window->seen |= bit;
  return true;
}

#endif
