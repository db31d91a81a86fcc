/* SPDX-License-Identifier: Apache-2.0 */
/* Sends deliveries down a board's tree, and remembers what the motes below have asked
   for. */
#ifndef EVENT_SERVICE_TREE_H_
#define EVENT_SERVICE_TREE_H_

#include "event-service-frames.h"

void event_service_tree_init(void);

/* A registration came from below: deliveries to its origin go that way. False if
   there is no room. */
bool event_service_tree_learn(uint16_t origin);

/* Gives a delivery to this mote if it is one of its consumers, and sends it on to
   consumers below. */
void event_service_tree_deliver(struct event_service_delivery *delivery, uint16_t from);

/* Whether a consumer of the delivery is this mote or below it. */
bool event_service_tree_concerns(const struct event_service_delivery *delivery);

/* If the base station has tables: enters a subscription or its end, and finds who has
   one. */
bool event_service_tree_register(const struct event_service_registration *registration);
uint8_t event_service_tree_consumers(const struct pubsub_event *event, uint16_t *consumers);

/* The application of this mote gets an event (event-channel.c). */
void event_service_consume(const struct pubsub_event *event, uint16_t from);

#endif
