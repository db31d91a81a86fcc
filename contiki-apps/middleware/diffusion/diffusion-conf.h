/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits of diffusion's memory and time. Each DIFFUSION_X has a
 * DIFFUSION_CONF_X that a project sets in its project-conf.h. Times are in clock
 * ticks unless said otherwise.
 */
#ifndef DIFFUSION_CONF_H_
#define DIFFUSION_CONF_H_

#include "contiki.h"

/* Topics whose events a node publishes, wants or forwards. */
#ifdef DIFFUSION_CONF_MAX_TOPICS
#define DIFFUSION_MAX_TOPICS DIFFUSION_CONF_MAX_TOPICS
#else
#define DIFFUSION_MAX_TOPICS 4
#endif

/* Pairs of a topic and a subscriber elsewhere. */
#ifdef DIFFUSION_CONF_MAX_GRADIENTS
#define DIFFUSION_MAX_GRADIENTS DIFFUSION_CONF_MAX_GRADIENTS
#else
#define DIFFUSION_MAX_GRADIENTS 12
#endif

/* Neighbours that a gradient remembers: the best and those to fall back on. */
#ifdef DIFFUSION_CONF_MAX_WAYS
#define DIFFUSION_MAX_WAYS DIFFUSION_CONF_MAX_WAYS
#else
#define DIFFUSION_MAX_WAYS 3
#endif

/*
 * Triples of a topic, a publisher and its incarnation whose events were seen
 * recently. Where there is no room, a publisher's earlier incarnation gives way.
 */
#ifdef DIFFUSION_CONF_MAX_FLOWS
#define DIFFUSION_MAX_FLOWS DIFFUSION_CONF_MAX_FLOWS
#else
#define DIFFUSION_MAX_FLOWS 12
#endif

/* Events remembered with the subscribers that they were sent on towards. */
#ifdef DIFFUSION_CONF_MAX_PASSED
#define DIFFUSION_MAX_PASSED DIFFUSION_CONF_MAX_PASSED
#else
#define DIFFUSION_MAX_PASSED 8
#endif

/* Neighbours that are next hops of some gradient, with their link-layer
   addresses. */
#ifdef DIFFUSION_CONF_MAX_NEIGHBOURS
#define DIFFUSION_MAX_NEIGHBOURS DIFFUSION_CONF_MAX_NEIGHBOURS
#else
#define DIFFUSION_MAX_NEIGHBOURS 8
#endif

/*
 * A neighbour that acknowledges none of this many frames in a row, each sent as
 * often as the MAC retries (8 times in CSMA), is dropped.
 */
#ifdef DIFFUSION_CONF_MOST_MISSED
#define DIFFUSION_MOST_MISSED DIFFUSION_CONF_MOST_MISSED
#else
#define DIFFUSION_MOST_MISSED 2
#endif

/* A gradient that was not renewed for this many intervals expires. */
#ifdef DIFFUSION_CONF_RENEWALS
#define DIFFUSION_RENEWALS DIFFUSION_CONF_RENEWALS
#else
#define DIFFUSION_RENEWALS 3
#endif

/* A neighbour through which this many renewals did not come is not a way any
   more. */
#ifdef DIFFUSION_CONF_SILENT_RENEWALS
#define DIFFUSION_SILENT_RENEWALS DIFFUSION_CONF_SILENT_RENEWALS
#else
#define DIFFUSION_SILENT_RENEWALS 2
#endif

/* An interest is sent on after a random time below this. */
#ifdef DIFFUSION_CONF_JITTER
#define DIFFUSION_JITTER DIFFUSION_CONF_JITTER
#else
#define DIFFUSION_JITTER (CLOCK_SECOND / 4)
#endif

/* The loss of a way and its answers are told after a random time below this. */
#ifdef DIFFUSION_CONF_REPAIR_JITTER
#define DIFFUSION_REPAIR_JITTER DIFFUSION_CONF_REPAIR_JITTER
#else
#define DIFFUSION_REPAIR_JITTER (CLOCK_SECOND / 16)
#endif

/* A renewal may be late by this much. */
#ifdef DIFFUSION_CONF_LATE
#define DIFFUSION_LATE DIFFUSION_CONF_LATE
#else
#define DIFFUSION_LATE (4 * DIFFUSION_JITTER)
#endif

/* If no neighbour offers another way for a lost one, the loss is told again after
   this time, then after twice this time, and so on. */
#ifdef DIFFUSION_CONF_ASK_AGAIN
#define DIFFUSION_ASK_AGAIN DIFFUSION_CONF_ASK_AGAIN
#else
#define DIFFUSION_ASK_AGAIN (CLOCK_SECOND / 4)
#endif

/*
 * Distinguishes a node's events from those of its earlier boots: 16 bits, drawn
 * by diffusion_init(). The clock is part of it because a generator of random
 * numbers may begin the same at each boot, as it does on Cooja's motes, whose
 * RTIMER_NOW() is the simulation's time. A node whose generator and clock both
 * begin the same needs its own, such as a counter of boots in memory that
 * outlives them.
 */
#ifdef DIFFUSION_CONF_INCARNATION
#define DIFFUSION_INCARNATION() DIFFUSION_CONF_INCARNATION()
#else
#define DIFFUSION_INCARNATION() ((uint16_t)(random_rand() ^ RTIMER_NOW()))
#endif

/*
 * The numbers of a publisher's incarnation are forgotten after this time without
 * a new event. Copies of one event are seconds apart at most, including the time
 * for which merge functions hold them.
 */
#ifdef DIFFUSION_CONF_FLOW_LIFETIME
#define DIFFUSION_FLOW_LIFETIME DIFFUSION_CONF_FLOW_LIFETIME
#else
#define DIFFUSION_FLOW_LIFETIME (60 * CLOCK_SECOND)
#endif

/* Interests go no further, so that one with a damaged hop count does not
   circle. */
#define DIFFUSION_MOST_HOPS 64

/* The longest interval of renewal that is accepted, ms. */
#define DIFFUSION_LONGEST_RENEWAL 3600000UL

/* Whether `at` has come; right as long as it is less than half the clock away. */
static inline int
diffusion_has_come(clock_time_t at)
{
  return (clock_time_t)(clock_time() - at) <= (clock_time_t)~(clock_time_t)0 / 2;
}

#endif
