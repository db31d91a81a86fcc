/* SPDX-License-Identifier: Apache-2.0 */
/* CSMA/CA without beacons: IEEE 802.15.4-2006, 7.5.1.4. The constants are the
   standard's, with Contiki-NG's default values. */
#ifndef CSMA_H_
#define CSMA_H_

#include "contiki.h"
#include "net/mac/mac.h"
#include "net/netstack.h"
#include "sys/rtimer.h"

/* macMinBE, macMaxBE: a backoff is uniform in 0 .. (2^BE - 1) periods, where BE
   grows from the first to the second with each busy channel. */
#ifdef CSMA_CONF_MIN_BE
#define CSMA_MIN_BE CSMA_CONF_MIN_BE
#else
#define CSMA_MIN_BE 3
#endif
#ifdef CSMA_CONF_MAX_BE
#define CSMA_MAX_BE CSMA_CONF_MAX_BE
#else
#define CSMA_MAX_BE 5
#endif

/* macMaxCSMABackoffs: how often a busy channel is tried again. The standard's
   default is 4. */
#ifdef CSMA_CONF_MAX_BACKOFF
#define CSMA_MAX_BACKOFF CSMA_CONF_MAX_BACKOFF
#else
#define CSMA_MAX_BACKOFF 5
#endif

/* macMaxFrameRetries: transmissions after the first one without an ACK. The
   standard's default is 3. */
#ifdef CSMA_CONF_MAX_FRAME_RETRIES
#define CSMA_MAX_FRAME_RETRIES CSMA_CONF_MAX_FRAME_RETRIES
#else
#define CSMA_MAX_FRAME_RETRIES 7
#endif

/* The same for broadcast frames, which nobody acknowledges: how often the attempt
   begins again when the channel stayed busy. As in Contiki-NG, the number is that
   of other frames; with 0 they are given up at once, as in the standard. */
#ifdef CSMA_CONF_MAX_BROADCAST_RETRIES
#define CSMA_MAX_BROADCAST_RETRIES CSMA_CONF_MAX_BROADCAST_RETRIES
#else
#define CSMA_MAX_BROADCAST_RETRIES CSMA_MAX_FRAME_RETRIES
#endif

/* aUnitBackoffPeriod is 20 symbols (320 us). Cooja's motes see each other's frames
   to the millisecond, so Contiki-NG takes twenty such periods there: 6 ms, and at
   least a tick of a coarser clock. */
#ifdef CSMA_CONF_BACKOFF_PERIOD
#define CSMA_BACKOFF_PERIOD CSMA_CONF_BACKOFF_PERIOD
#else
#define CSMA_BACKOFF_PERIOD MAX(20 * CLOCK_SECOND / 3125, 1)
#endif

/* A sender's waiting times for the beginning of an ACK, and for its end. */
#define CSMA_ACK_WAIT_TIME CSMA_CONF_ACK_WAIT_TIME
#define CSMA_AFTER_ACK_DETECTED_WAIT_TIME CSMA_CONF_AFTER_ACK_DETECTED_WAIT_TIME
#define CSMA_SEND_SOFT_ACK CSMA_CONF_SEND_SOFT_ACK
#define CSMA_ACK_LEN 3 /* bytes, without FCS */

/* Receivers that frames can wait for at a time, and frames for each. */
#ifdef CSMA_CONF_MAX_NEIGHBOR_QUEUES
#define CSMA_MAX_NEIGHBOR_QUEUES CSMA_CONF_MAX_NEIGHBOR_QUEUES
#else
#define CSMA_MAX_NEIGHBOR_QUEUES 2
#endif
#ifdef CSMA_CONF_MAX_PACKET_PER_NEIGHBOR
#define CSMA_MAX_PACKET_PER_NEIGHBOR CSMA_CONF_MAX_PACKET_PER_NEIGHBOR
#else
#define CSMA_MAX_PACKET_PER_NEIGHBOR QUEUEBUF_CONF_NUM
#endif

extern const struct mac_driver csma_driver;

#endif
