/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers which events were here before, as a window of sequence numbers for each
 * topic, publisher and incarnation.
 */
#ifndef DIFFUSION_FLOWS_H_
#define DIFFUSION_FLOWS_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-event.h"

void diffusion_flows_init(void);

/*
 * Remember the individual events in an event. Returns true if one of them is new. A
 * full pool, which is logged and counted, takes them for old, because an event that
 * isn't remembered could circle.
 */
bool diffusion_flows_remember(uint8_t topic, const struct pubsub_event *event);

/*
 * Of the subscribers (bits: their gradients' places in the pool) that a copy of
 * the event is for, those towards which no copy was sent before: there may be one
 * copy for some subscribers and one for others. `is_new`: what the call above said;
 * events that are neither new nor remembered here are for nobody.
 */
uint32_t diffusion_flows_pass(uint8_t topic, const struct pubsub_event *event,
                              uint16_t from, uint32_t subscribers,
                              bool is_new);

/*
 * Whether its first copy is known to have come from another mote than this copy. The
 * MAC may repeat a frame, but a frame that went round a circle comes from another
 * mote.
 */
bool diffusion_flows_circle(uint8_t topic, const struct pubsub_event *event,
                            uint16_t from);

/* The topic's number is given to another. */
void diffusion_flows_forget(uint8_t topic);

#endif
