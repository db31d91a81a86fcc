/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether neighbours do what they are asked for. A next hop that is to forward
 * an event is overheard doing so: an acknowledgement without a frame of its own.
 * One that misses DIFFUSION_MOST_MISSED in a row is dropped from all gradients;
 * the next interest heard from it brings it back.
 */
#ifndef DIFFUSION_NEIGHBOURS_H_
#define DIFFUSION_NEIGHBOURS_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-event.h"

void diffusion_neighbours_init(void);

/* The neighbour sent that event, to whomever. */
void diffusion_neighbours_overheard(uint16_t neighbour, uint8_t topic,
                                    const struct pubsub_event *event);

/* Whether it was overheard with that event not long ago: it has it. */
bool diffusion_neighbours_has(uint16_t neighbour, uint8_t topic,
                              const struct pubsub_event *event);

/* The neighbour is sent that event and must forward it. */
void diffusion_neighbours_await(uint16_t neighbour, uint8_t topic,
                                const struct pubsub_event *event);

/* The topic's number is given to another. */
void diffusion_neighbours_forget(uint8_t topic);

#endif
