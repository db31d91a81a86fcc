/* SPDX-License-Identifier: Apache-2.0 */
/* Sends what comes from below or from this mote up to the parent, and from a base
   station to its gateway. */
#ifndef EVENT_SERVICE_UP_H_
#define EVENT_SERVICE_UP_H_

#include "event-service-frames.h"

/* False if there is no room for it. */
bool event_service_up_register(const struct event_service_registration *registration);

/* A push is lost if the send buffer is full, because nobody repeats it. */
void event_service_up_push(const struct pubsub_event *event);

#endif
