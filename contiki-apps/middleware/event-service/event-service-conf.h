/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits of the module's memory, and its times. Each EVENT_SERVICE_X has an
 * EVENT_SERVICE_CONF_X that a project sets in its project-conf.h.
 */
#ifndef EVENT_SERVICE_CONF_H_
#define EVENT_SERVICE_CONF_H_

#include "contiki.h"

/* Registrations of this mote and of those below it that wait for the next hop. */
#ifdef EVENT_SERVICE_CONF_REQUESTS
#define EVENT_SERVICE_REQUESTS EVENT_SERVICE_CONF_REQUESTS
#else
#define EVENT_SERVICE_REQUESTS 5
#endif

/* Motes below this one that deliveries can be sent on to. */
#ifdef EVENT_SERVICE_CONF_BELOW
#define EVENT_SERVICE_BELOW EVENT_SERVICE_CONF_BELOW
#else
#define EVENT_SERVICE_BELOW 32
#endif

/* Events that one mote supplies and consumes, counted together. */
#ifdef EVENT_SERVICE_CONF_CHANNELS
#define EVENT_SERVICE_CHANNELS EVENT_SERVICE_CONF_CHANNELS
#else
#define EVENT_SERVICE_CHANNELS 4
#endif

/* The subscriptions in a base station's table, if it keeps one. */
#ifdef EVENT_SERVICE_CONF_SUBSCRIPTIONS
#define EVENT_SERVICE_SUBSCRIPTIONS EVENT_SERVICE_CONF_SUBSCRIPTIONS
#else
#define EVENT_SERVICE_SUBSCRIPTIONS 8
#endif

/*
 * Bytes of what a registration can offer or ask (beyond the thesis: event-terms). With 0 there
 * is no code for it.
 */
#ifdef EVENT_SERVICE_CONF_TERMS
#define EVENT_SERVICE_TERMS EVENT_SERVICE_CONF_TERMS
#else
#define EVENT_SERVICE_TERMS 0
#endif

/*
 * Subjects that a mote knows by a short identifier (beyond the thesis: event-service-binding.h).
 * With 0 there is no code for it.
 */
#ifdef EVENT_SERVICE_CONF_BINDINGS
#define EVENT_SERVICE_BINDINGS EVENT_SERVICE_CONF_BINDINGS
#else
#define EVENT_SERVICE_BINDINGS 0
#endif

/*
 * Whether motes renew their registrations, and are adopted by another base station if their
 * parent is silent (beyond the thesis: event-service-renewal.h).
 */
#ifdef EVENT_SERVICE_CONF_RENEWAL
#define EVENT_SERVICE_RENEWAL EVENT_SERVICE_CONF_RENEWAL
#else
#define EVENT_SERVICE_RENEWAL 0
#endif

/* Requests without an acknowledgement after which a parent is taken for silent. */
#ifdef EVENT_SERVICE_CONF_TRIES
#define EVENT_SERVICE_TRIES EVENT_SERVICE_CONF_TRIES
#else
#define EVENT_SERVICE_TRIES 5
#endif

/* Consumers that a delivery can name, as in frames/frames.yaml. */
#define EVENT_SERVICE_CONSUMERS 16

/*
 * How often the instructor sends an instruction: nobody acknowledges one (section
 * 3.4 of the thesis), and the channel may be busy.
 */
#ifdef EVENT_SERVICE_CONF_INSTRUCTION_TIMES
#define EVENT_SERVICE_INSTRUCTION_TIMES EVENT_SERVICE_CONF_INSTRUCTION_TIMES
#else
#define EVENT_SERVICE_INSTRUCTION_TIMES 3
#endif

#endif
