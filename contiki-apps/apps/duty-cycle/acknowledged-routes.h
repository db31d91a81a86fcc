/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configured routes (configured-routes.h) on which each hop is acknowledged: the
 * MAC repeats a frame until the next hop's ACK is heard, for which the radio has
 * to be on.
 */
#ifndef ACKNOWLEDGED_ROUTES_H_
#define ACKNOWLEDGED_ROUTES_H_

#include <stdint.h>

/* After pubsub_init(), instead of configured_routes. */
void acknowledged_routes_init(void);

/* Transmissions of event messages, the MAC's repetitions included. */
extern uint32_t acknowledged_routes_transmissions;

#endif
