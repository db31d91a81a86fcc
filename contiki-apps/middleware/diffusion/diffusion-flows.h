/* SPDX-License-Identifier: Apache-2.0 */
/* Which events were here before: for each topic and publisher a window. */
#ifndef DIFFUSION_FLOWS_H_
#define DIFFUSION_FLOWS_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-event.h"

void diffusion_flows_init(void);

/*
 * Remember the individual events in an event. True if one of them is new; a full
 * pool (logged and counted) takes them for old, for what isn't remembered could
 * circle.
 */
bool diffusion_flows_remember(uint8_t topic, const struct pubsub_event *event);

/* The topic's number is given to another. */
void diffusion_flows_forget(uint8_t topic);

#endif
