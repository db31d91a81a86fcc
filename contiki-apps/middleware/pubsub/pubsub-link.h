/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames over the MAC: broadcast, one attempt each (5.2.3 of the aggregation
 * paper: "no retransmission mechanism activated"), or to one neighbour with the
 * MAC's acknowledgements and retries. It receives through NullNet but hands
 * frames to the MAC itself, because NullNet's output would not report their fate.
 */
#ifndef PUBSUB_LINK_H_
#define PUBSUB_LINK_H_

#include <stdbool.h>
#include <stdint.h>
#include "contiki.h"
#include "net/linkaddr.h"

/* Starts. Every frame that arrives is passed to `input`, and is valid only during
   that call. */
void pubsub_link_init(void (*input)(const uint8_t *frame, uint16_t length));

/*
 * Hand a frame to the MAC. `sent` is called with `number` when the MAC is done
 * with the frame, perhaps before this returns; `reason` is NULL if it was
 * transmitted, else the log format's word for why not.
 */
void pubsub_link_send(const uint8_t *frame, uint16_t length, uint16_t number,
                      void (*sent)(uint16_t number, const char *reason));

/*
 * Tells the link driver which frames only pass by, if it has a hook for that
 * (named by NETSTACK_CONF_LINK_FILTER): a broadcast frame for which `passes_by`
 * returns true then doesn't come to `input`. It may be called at any time and
 * must change nothing but counters. Without the hook, `input` gets those frames
 * as well.
 */
#ifdef NETSTACK_CONF_LINK_FILTER
void NETSTACK_CONF_LINK_FILTER(bool (*passes_by)(const uint8_t *frame,
                                                 uint16_t length));
#define PUBSUB_LINK_FILTER(passes_by) NETSTACK_CONF_LINK_FILTER(passes_by)
#else
#define PUBSUB_LINK_FILTER(passes_by) ((void)(passes_by))
#endif

/* The link-layer address that the frame being handled came from. */
const linkaddr_t *pubsub_link_sender(void);

/* The log format's word for: no transmission was acknowledged. */
#define PUBSUB_LINK_NO_ACK "no-ack"

/*
 * The MAC is done with a frame after that many transmissions: `reason` is NULL if
 * the neighbour acknowledged it (or the MAC knows no acknowledgements).
 */
typedef void (*pubsub_link_done)(const uint8_t *frame, uint16_t length,
                                 const char *reason, unsigned transmissions);

/*
 * Hand a frame to the MAC for one neighbour, with as many retries as the MAC is
 * configured for. `done` may be called before this returns.
 */
void pubsub_link_send_to(const linkaddr_t *receiver, const uint8_t *frame,
                         uint16_t length, pubsub_link_done done);

#endif
