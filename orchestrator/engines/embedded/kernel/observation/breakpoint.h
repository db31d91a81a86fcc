/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets a debugger wait for a mote (--stop-mote ID, --stop-at US): a breakpoint on breakpoint_here() is hit before the mote's
 * first activation at or after that time, and before each later one. The firmware's file is mapped at breakpoint_image: if
 * each mote has a copy of the code (--code-per-mote 1), every symbol is at that address plus its address in the file.
 */
#ifndef BREAKPOINT_H
#define BREAKPOINT_H

#include "motes/simulation.h"

extern const struct mote *breakpoint_mote; /* NULL: no debugger waits */
extern uint8_t *breakpoint_image;
extern int64_t breakpoint_us; /* the time to wait for; at the breakpoint, the simulated time */

/* Returns false if there is no Cooja mote with this id. */
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
