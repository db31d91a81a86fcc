/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bounds diffusion's memory and time. Each DIFFUSION_X has a
 * DIFFUSION_CONF_X that a project sets in its project-conf.h. Times in clock
 * ticks unless said otherwise.
 */
#ifndef DIFFUSION_CONF_H_
#define DIFFUSION_CONF_H_

#include "contiki.h"

/* Topics that pass a node or are its own. */
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

/* Pairs of a topic and a publisher whose events were seen of late. */
#ifdef DIFFUSION_CONF_MAX_FLOWS
#define DIFFUSION_MAX_FLOWS DIFFUSION_CONF_MAX_FLOWS
#else
#define DIFFUSION_MAX_FLOWS 12
#endif

/* Events whose forwarding by the next hop is listened for at a time. */
#ifdef DIFFUSION_CONF_MAX_AWAITED
#define DIFFUSION_MAX_AWAITED DIFFUSION_CONF_MAX_AWAITED
#else
#define DIFFUSION_MAX_AWAITED 8
#endif

/* Events remembered with the neighbour that was overheard sending them. */
#ifdef DIFFUSION_CONF_MAX_OVERHEARD
#define DIFFUSION_MAX_OVERHEARD DIFFUSION_CONF_MAX_OVERHEARD
#else
#define DIFFUSION_MAX_OVERHEARD 12
#endif

/* Neighbours that have missed a forwarding of late. */
#ifdef DIFFUSION_CONF_MAX_SUSPECTS
#define DIFFUSION_MAX_SUSPECTS DIFFUSION_CONF_MAX_SUSPECTS
#else
#define DIFFUSION_MAX_SUSPECTS 6
#endif

/* A neighbour that misses that many forwardings in a row is dropped. */
#ifdef DIFFUSION_CONF_MOST_MISSED
#define DIFFUSION_MOST_MISSED DIFFUSION_CONF_MOST_MISSED
#else
#define DIFFUSION_MOST_MISSED 3
#endif

/* A gradient that was not renewed for that many intervals expires. */
#ifdef DIFFUSION_CONF_RENEWALS
#define DIFFUSION_RENEWALS DIFFUSION_CONF_RENEWALS
#else
#define DIFFUSION_RENEWALS 3
#endif

/* A neighbour through which that many renewals did not come is no way. */
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

/* How long a next hop may take to forward, unless diffusion_set_patience(). */
#ifdef DIFFUSION_CONF_PATIENCE
#define DIFFUSION_PATIENCE DIFFUSION_CONF_PATIENCE
#else
#define DIFFUSION_PATIENCE CLOCK_SECOND
#endif

/*
 * After that long without an event of a publisher its numbers may start anew.
 * Copies of one event are seconds apart at most, merge functions' holds included.
 */
#ifdef DIFFUSION_CONF_FLOW_LIFETIME
#define DIFFUSION_FLOW_LIFETIME DIFFUSION_CONF_FLOW_LIFETIME
#else
#define DIFFUSION_FLOW_LIFETIME (60 * CLOCK_SECOND)
#endif

/* Interests go no further; keeps a damaged hop count from circling. */
#define DIFFUSION_MOST_HOPS 64

/* Longest interval of renewal that is believed, ms. */
#define DIFFUSION_LONGEST_RENEWAL 3600000UL

/* Whether `at` has come; right as long as it is less than half the clock away. */
static inline int
diffusion_has_come(clock_time_t at)
{
  return (clock_time_t)(clock_time() - at) <= (clock_time_t)~(clock_time_t)0 / 2;
}

#endif
