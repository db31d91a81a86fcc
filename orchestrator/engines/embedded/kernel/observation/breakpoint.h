/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a debugger waits for one mote (--stop-mote ID, --stop-at US): a breakpoint on breakpoint_here() is hit before the
 * mote's first activation at or after that time, and then before each. breakpoint_image is where its firmware's file is mapped:
 * where each mote has a copy of the code (--code-per-mote 1), every symbol of the file is at that address plus its own.
 */
#ifndef BREAKPOINT_H
#define BREAKPOINT_H

#include "motes/simulation.h"

extern const struct mote *breakpoint_mote; /* NULL: nobody waits */
extern uint8_t *breakpoint_image;
extern int64_t breakpoint_us; /* the time to wait for; when stopped, the simulated time */

/* False if there is no mote of that id. */
bool breakpoint_choose(const struct simulation *simulation, long id, int64_t at_us);

void breakpoint_here(void);

static inline void
breakpoint_before_tick(const struct mote *mote, int64_t now)
{
  if(mote == breakpoint_mote && now >= breakpoint_us) {
    breakpoint_us = now;
    breakpoint_image = mote->image;
    breakpoint_here();
  }
}

#endif
