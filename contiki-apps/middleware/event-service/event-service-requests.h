/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registrations on their way up, hop by hop (5.2): each mote repeats one to its
 * parent until that acknowledges it; the base station hands it to its UART.
 * A repeated one changes nothing, because tables hold an entry only once. A lost
 * acknowledgement leads to another request and another acknowledgement.
 */
#ifndef EVENT_SERVICE_REQUESTS_H_
#define EVENT_SERVICE_REQUESTS_H_

#include "event-service-frames.h"

void event_service_requests_init(void);

/* Returns false if there is no room: then the mote that asked hears nothing and asks
   again. */
bool event_service_request(const struct event_service_registration *registration);

#if EVENT_SERVICE_TERMS > 0
/* Whether an advertisement of the event, with terms that it offers, still waits for the next hop. */
bool event_service_request_offers(pubsub_subject_t event);
#endif

/* The parent acknowledged it. */
void event_service_request_done(const struct event_service_registration *registration);

/* The parent is another one, or is there again: what waits for it is tried anew. */
void event_service_requests_again(void);

#endif
