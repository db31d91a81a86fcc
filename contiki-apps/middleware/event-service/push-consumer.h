/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface push_consumer (3.1). A supplier sees the event channel as a
 * consumer, to which it pushes; the event channel sees the application as one.
 */
#ifndef PUSH_CONSUMER_H_
#define PUSH_CONSUMER_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-event.h"

struct push_consumer {
  void (*push)(const struct pubsub_event *event, uint16_t from);
  void (*disconnect)(pubsub_subject_t event); /* or NULL: called when it gets no more
                                                 events */
};

/*
 * A supplier gives the channel an event's data. Nothing is acknowledged: where a
 * send buffer on the way is full, or a frame collides, the event is lost (5.4.1).
 * False if this mote did not advertise the event, or there is too much data.
 */
bool push_consumer_push(pubsub_subject_t event, const uint8_t *data, uint8_t length);

/* End the consumer's part: the subscription is withdrawn. False if there is none. */
bool push_consumer_disconnect(pubsub_subject_t event);

#endif
