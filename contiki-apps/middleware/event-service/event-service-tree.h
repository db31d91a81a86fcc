/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries on their way down a board's tree, and what the motes below have asked for. */
#ifndef EVENT_SERVICE_TREE_H_
#define EVENT_SERVICE_TREE_H_

#include "event-service-frames.h"

void event_service_tree_init(void);

/* A registration came from below: deliveries to its origin come this way. False if
   there is no room. */
bool event_service_tree_learn(uint16_t origin);

/* Give it to this mote if it is for it, and send it on to those below. */
void event_service_tree_deliver(struct event_service_delivery *delivery, uint16_t from);

/* With tables on the base station: a subscription or its end, and who has one. */
bool event_service_tree_register(const struct event_service_registration *registration);
uint8_t event_service_tree_consumers(pubsub_subject_t event, uint16_t *consumers);

/* The application of this mote gets an event (event-channel.c). */
void event_service_consume(const struct pubsub_event *event, uint16_t from);

#endif
