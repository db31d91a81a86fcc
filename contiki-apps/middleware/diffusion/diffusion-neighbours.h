/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The neighbours that are ways, with their link-layer addresses, and whether
 * they still acknowledge. One that misses DIFFUSION_MOST_MISSED frames in a row
 * is to be dropped; the next interest heard from it brings it back.
 */
#ifndef DIFFUSION_NEIGHBOURS_H_
#define DIFFUSION_NEIGHBOURS_H_

#include <stdbool.h>
#include <stdint.h>
#include "net/linkaddr.h"

void diffusion_neighbours_init(void);

/*
 * Remember the address that the frame being handled came from, if necessary in
 * the place of a neighbour that is no longer a way (`is_way` says so). Returns
 * false if there is no room because each one remembered is some gradient's way.
 */
bool diffusion_neighbours_learn(uint16_t neighbour,
                                bool (*is_way)(uint16_t neighbour));

/* The neighbour's address, NULL if it isn't known. */
const linkaddr_t *diffusion_neighbours_address(uint16_t neighbour);

/* It acknowledged a frame. */
void diffusion_neighbours_answered(uint16_t neighbour);

/* It acknowledged none of a frame's transmissions. Returns true if it is to be
   dropped. */
bool diffusion_neighbours_missed(uint16_t neighbour);

#endif
