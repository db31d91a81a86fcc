/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of the blackboard's memory. Each BLACKBOARD_X has a
 * BLACKBOARD_CONF_X that a project sets in its project-conf.h.
 */
#ifndef BLACKBOARD_CONF_H_
#define BLACKBOARD_CONF_H_

#include "contiki.h"

/*
 * The concepts of Stelte (2010): one of them is built. Sections 2.2, 2.3 and
 * 2.4 in that order; the last is the paper's own and the default.
 */
#define BLACKBOARD_STATIC 1
#define BLACKBOARD_DYNAMIC 2
#define BLACKBOARD_COMBINED 3

#ifdef BLACKBOARD_CONF_CONCEPT
#define BLACKBOARD_CONCEPT BLACKBOARD_CONF_CONCEPT
#else
#define BLACKBOARD_CONCEPT BLACKBOARD_COMBINED
#endif

/*
 * The events: X(name, type, values, subscribers) each, in order of priority.
 * The event's identifier is EVENT_name. type: UNSIGNED, SIGNED or FIXED. values:
 * how many published ones are kept. subscribers: how many there may be at once;
 * that room is the event's own.
 */
#ifdef BLACKBOARD_CONF_EVENTS
#define BLACKBOARD_EVENTS(X) BLACKBOARD_CONF_EVENTS(X)
#else
#define BLACKBOARD_EVENTS(X) \
  X(0, SIGNED, 1, 6) X(1, SIGNED, 1, 6)
#endif

/*
 * The number of conditions that all subscriptions together may have beyond their
 * first: each is a sub-event (Stelte 2010, 2.4).
 */
#ifdef BLACKBOARD_CONF_CONDITIONS
#define BLACKBOARD_CONDITIONS BLACKBOARD_CONF_CONDITIONS
#else
#define BLACKBOARD_CONDITIONS 0
#endif

/* Conditions BLACKBOARD_CHANGED that there may be at once, at most 63. */
#ifdef BLACKBOARD_CONF_CHANGES
#define BLACKBOARD_CHANGES BLACKBOARD_CONF_CHANGES
#else
#define BLACKBOARD_CHANGES 2
#endif

/* Commands that wait for the blackboard thread. */
#ifdef BLACKBOARD_CONF_QUEUE
#define BLACKBOARD_QUEUE BLACKBOARD_CONF_QUEUE
#else
#define BLACKBOARD_QUEUE 4
#endif

/*
 * CPU time that a turn of the blackboard thread takes on a Cooja mote, where
 * code takes no time, us. It is modelled, not measured.
 */
#ifdef BLACKBOARD_CONF_CPU_USE
#define BLACKBOARD_CPU_USE BLACKBOARD_CONF_CPU_USE
#else
#define BLACKBOARD_CPU_USE 0
#endif

/* Its stack on a microcontroller, bytes: commands take up to 330 of it on a
   Cortex-M3, the switch of threads the rest. Callbacks may need more. */
#ifdef BLACKBOARD_CONF_STACK
#define BLACKBOARD_STACK BLACKBOARD_CONF_STACK
#else
#define BLACKBOARD_STACK 480
#endif

/* Subscriptions that blackboard-log.c, where it is used, has a record for. */
#ifdef BLACKBOARD_CONF_LOGGED
#define BLACKBOARD_LOGGED BLACKBOARD_CONF_LOGGED
#else
#define BLACKBOARD_LOGGED 16
#endif

#endif
