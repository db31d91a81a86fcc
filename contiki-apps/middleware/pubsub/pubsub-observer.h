/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observes every event that passes, for a trace. There is one pointer; while it
 * is NULL, observing costs a comparison and links nothing.
 */
#ifndef PUBSUB_OBSERVER_H_
#define PUBSUB_OBSERVER_H_

#include <stdint.h>
#include "pubsub-event.h"

/* Each may be NULL. */
struct pubsub_observer {
  void (*published)(const struct pubsub_event *event);
  void (*sent)(const struct pubsub_event *event, uint16_t to, uint16_t frame);
  void (*received)(const struct pubsub_event *event,
                   uint16_t from, uint16_t frame);
  /* `frame` is 0 if it couldn't be read, `from` if that couldn't. */
  void (*dropped)(const char *reason, uint16_t from, uint16_t frame);
  /* `arrived` goes into `stored`, whose contributors are still the old ones. */
  void (*merged)(const struct pubsub_event *stored,
                 const struct pubsub_event *arrived);
  void (*forwarded)(const struct pubsub_event *event, const char *reason);
  void (*delivered)(const struct pubsub_event *event, uint16_t from);
};

extern const struct pubsub_observer *pubsub_observer;

#define PUBSUB_OBSERVE(what, ...) do { \
    if(pubsub_observer != NULL && pubsub_observer->what != NULL) { \
      pubsub_observer->what(__VA_ARGS__); \
    } \
  } while(0)

#endif
