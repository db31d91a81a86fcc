/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bounds the module's memory and times. Each EVENT_SERVICE_X has an
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

/* With tables on the base station: its subscriptions. */
#ifdef EVENT_SERVICE_CONF_SUBSCRIPTIONS
#define EVENT_SERVICE_SUBSCRIPTIONS EVENT_SERVICE_CONF_SUBSCRIPTIONS
#else
#define EVENT_SERVICE_SUBSCRIPTIONS 8
#endif

/* Consumers that a delivery can name: that of frames/frames.yaml. */
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
