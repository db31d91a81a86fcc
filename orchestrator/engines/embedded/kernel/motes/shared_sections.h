/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja gives each mote its own .data and .bss only: other writable sections of a firmware are shared by all motes of the
 * type, because they share one loaded library. Here every mote has a copy, which it takes from the mote that ran last.
 */
#ifndef SHARED_SECTIONS_H
#define SHARED_SECTIONS_H

#include "motes/mote.h"

/* Finds the shared sections of a type. */
void shared_sections_open(struct mote_type *type);

void shared_sections_take_over(struct mote *mote);

/* Must be called before each tick. */
static inline void
shared_sections_before_tick(struct mote *mote)
{
  if(mote->type->shared_section_count > 0 && mote->type->holder != mote) {
    shared_sections_take_over(mote);
  }
}

#endif
