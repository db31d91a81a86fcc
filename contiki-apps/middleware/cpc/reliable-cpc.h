/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of ReliableCPC; each RELIABLE_CPC_X has a RELIABLE_CPC_CONF_X. */
#ifndef RELIABLE_CPC_H_
#define RELIABLE_CPC_H_

#include "contiki.h"
#include "push-dpc/push-dpc-conf.h"

/* Neighbours that floods are repeated for, at most 16; more are taken to have all. */
#ifdef RELIABLE_CPC_CONF_MAX_NEIGHBOURS
#define RELIABLE_CPC_MAX_NEIGHBOURS RELIABLE_CPC_CONF_MAX_NEIGHBOURS
#else
#define RELIABLE_CPC_MAX_NEIGHBOURS 8
#endif
_Static_assert(RELIABLE_CPC_MAX_NEIGHBOURS <= 16, "a bit each");

/* Floods that are looked after at the same time; more go as by UnreliableCPC. */
#ifdef RELIABLE_CPC_CONF_MAX_FLOODS
#define RELIABLE_CPC_MAX_FLOODS RELIABLE_CPC_CONF_MAX_FLOODS
#else
#define RELIABLE_CPC_MAX_FLOODS 3
#endif

/* Time for neighbours to forward a frame, clock ticks. */
#ifdef RELIABLE_CPC_CONF_PATIENCE
#define RELIABLE_CPC_PATIENCE RELIABLE_CPC_CONF_PATIENCE
#else
#define RELIABLE_CPC_PATIENCE (4 * PUSH_DPC_JITTER)
#endif

/* Between two repetitions of a frame there is a random time up to this, clock ticks. */
#ifdef RELIABLE_CPC_CONF_PAUSE
#define RELIABLE_CPC_PAUSE RELIABLE_CPC_CONF_PAUSE
#else
#define RELIABLE_CPC_PAUSE PUSH_DPC_JITTER
#endif

/* A neighbour that acknowledges none of that many frames in a row is forgotten. */
#ifdef RELIABLE_CPC_CONF_MOST_MISSED
#define RELIABLE_CPC_MOST_MISSED RELIABLE_CPC_CONF_MOST_MISSED
#else
#define RELIABLE_CPC_MOST_MISSED 2
#endif

/* Start, instead of cpc_init(). */
void reliable_cpc_init(void);

#endif
