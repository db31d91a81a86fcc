/* SPDX-License-Identifier: Apache-2.0 */
/* On the way up: what comes from below or from this mote goes to the parent, from a
   base station to its gateway. */
#ifndef EVENT_SERVICE_UP_H_
#define EVENT_SERVICE_UP_H_

#include "event-service-frames.h"

/* False if there is no room for it. */
bool event_service_up_register(const struct event_service_registration *registration);

/* Lost where the send buffer is full: nobody repeats a push. */
void event_service_up_push(const struct pubsub_event *event);

#endif
