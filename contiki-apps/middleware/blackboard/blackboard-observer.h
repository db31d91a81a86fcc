/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observes the traffic of the blackboard, for a trace. There is one pointer; while
 * it is NULL, this costs a comparison and links nothing.
 */
#ifndef BLACKBOARD_OBSERVER_H_
#define BLACKBOARD_OBSERVER_H_

#include "blackboard.h"

struct blackboard_observer {
  /* A publisher's value was written to the board. */
  void (*published)(uint8_t event, uint32_t value);
  /* The blackboard thread notified a subscriber. */
  void (*notified)(const struct blackboard_notice *notice);
  /* It has got its notification: its thread runs, it polled, or it was called. */
  void (*taken)(uint8_t event, uint8_t number);
};

extern const struct blackboard_observer *blackboard_observer;

#define BLACKBOARD_OBSERVE(what, ...) do { \
    if(blackboard_observer != NULL) { \
      blackboard_observer->what(__VA_ARGS__); \
    } \
  } while(0)

#endif
