/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events on their way: a copy says which subscribers it is for, and goes on to
 * the next hops towards these, one copy to each. Where a next hop acknowledges
 * nothing, the copy goes another way.
 */
#ifndef DIFFUSION_EVENTS_H_
#define DIFFUSION_EVENTS_H_

#include <stdint.h>
#include "pubsub-event.h"

void diffusion_events_init(void);

/*
 * The subscribers that the event being routed is for (bits: gradients): those of
 * the copy that came `from` there, all of its topic if it is this node's own.
 */
uint32_t diffusion_events_subscribers(const struct pubsub_event *event,
                                      uint16_t from);

/* What a copy for one subscriber has beside its event, bytes. */
uint16_t diffusion_events_beside(unsigned contributors);

/* Send it on towards them. */
void diffusion_events_send(const struct pubsub_event *event, uint16_t from);

#endif
