/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja swaps only .data and .bss for a mote's own: what else of its firmware is writable, all motes of the type share, as
 * they share one loaded library. Here every mote has a copy, which it takes over from the one that ran last.
 */
#ifndef SHARED_SECTIONS_H
#define SHARED_SECTIONS_H

#include "motes/mote.h"

/* Finds a type's sections of that kind. */
void shared_sections_open(struct mote_type *type);

void shared_sections_take_over(struct mote *mote);

/* Before each tick. */
static inline void
shared_sections_before_tick(struct mote *mote)
{
  if(mote->type->shared_section_count > 0 && mote->type->holder != mote) {
    shared_sections_take_over(mote);
  }
}

#endif
