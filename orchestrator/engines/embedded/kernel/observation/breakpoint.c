/* SPDX-License-Identifier: Apache-2.0 */
#include "observation/breakpoint.h"

/* gdb reads them by name. */
__attribute__((used)) const struct mote *breakpoint_mote;
__attribute__((used)) uint8_t *breakpoint_image;
__attribute__((used)) int64_t breakpoint_us;

bool
breakpoint_choose(const struct simulation *simulation, long id, int64_t at_us)
{
  breakpoint_us = at_us;
  for(uint32_t i = 0; i < simulation->mote_count && breakpoint_mote == NULL; i++) {
    breakpoint_mote = simulation->motes[i].id == id && !simulation->motes[i].type->is_sky ? &simulation->motes[i] : NULL;
  }
  return breakpoint_mote != NULL;
}

__attribute__((noinline, used)) void
breakpoint_here(void)
{
  __asm__ volatile("" : : : "memory"); /* keeps the compiler from removing calls */
}
