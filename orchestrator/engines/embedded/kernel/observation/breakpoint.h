/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a debugger waits for one mote (--stop-mote ID, --stop-at US): a breakpoint on stop_here() is hit before the
 * mote's first activation at or after that time, and then before each. stop_image is where its firmware's file is mapped:
 * with a text of its own (--many-texts 1), every symbol of the file is at that address plus its own.
 */
#ifndef STOP_H
#define STOP_H

#include "motes/simulation.h"

extern const struct mote *stop_mote; /* NULL: nobody waits */
extern uint8_t *stop_image;
extern int64_t stop_us; /* the time to wait for; when stopped, the simulated time */

/* False if there is no mote of that id. */
bool stop_choose(const struct simulation *simulation, long id, int64_t at_us);

void stop_here(void);

static inline void
stop_before_tick(const struct mote *mote, int64_t now)
{
  if(mote == stop_mote && now >= stop_us) {
    stop_us = now;
    stop_image = mote->image;
    stop_here();
  }
}

#endif
