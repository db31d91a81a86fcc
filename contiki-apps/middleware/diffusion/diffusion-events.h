/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forwards events. A copy says which subscribers it is for, and one goes to each
 * next hop towards these. If a next hop doesn't acknowledge it, the copy goes
 * another way.
 */
#ifndef DIFFUSION_EVENTS_H_
#define DIFFUSION_EVENTS_H_

#include <stdint.h>
#include "pubsub-event.h"

void diffusion_events_init(void);

/*
 * The subscribers of the event that is being routed (bits: gradients): those of
 * the copy that came from `from`, or all of the topic if the event is this
 * node's own.
 */
uint32_t diffusion_events_subscribers(const struct pubsub_event *event,
                                      uint16_t from);

/* The bytes that a copy for one subscriber has beside its event. */
uint16_t diffusion_events_beside(unsigned contributors);

/* Sends the event on towards them. */
void diffusion_events_send(const struct pubsub_event *event, uint16_t from);

#endif
