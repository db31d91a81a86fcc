/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of PushDPC's memory and time; each PUSH_DPC_X has a PUSH_DPC_CONF_X. */
#ifndef PUSH_DPC_CONF_H_
#define PUSH_DPC_CONF_H_

#include "contiki.h"

/* Pairs of a topic and a publisher whose events are remembered. */
#ifdef PUSH_DPC_CONF_MAX_FLOWS
#define PUSH_DPC_MAX_FLOWS PUSH_DPC_CONF_MAX_FLOWS
#else
#define PUSH_DPC_MAX_FLOWS 8
#endif

/* An event is sent on after a random time below this, clock ticks. */
#ifdef PUSH_DPC_CONF_JITTER
#define PUSH_DPC_JITTER PUSH_DPC_CONF_JITTER
#else
#define PUSH_DPC_JITTER (CLOCK_SECOND / 32)
#endif

/* Copies of an event are at most that far apart, clock ticks: a flow without a new
   event for that long may give way to another one. Less than 65536, and an older one
   may be taken for one so young when the clock's low 16 bits say so. */
#ifdef PUSH_DPC_CONF_LIFETIME
#define PUSH_DPC_LIFETIME PUSH_DPC_CONF_LIFETIME
#else
#define PUSH_DPC_LIFETIME (2 * CLOCK_SECOND)
#endif

#endif
