/* SPDX-License-Identifier: Apache-2.0 */
#include "observation/breakpoint.h"

/* gdb reads them by name. */
__attribute__((used)) const struct mote *stop_mote;
__attribute__((used)) uint8_t *stop_image;
__attribute__((used)) int64_t stop_us;

bool
stop_choose(const struct simulation *simulation, long id, int64_t at_us)
{
  stop_us = at_us;
  for(uint32_t i = 0; i < simulation->mote_count && stop_mote == NULL; i++) {
    stop_mote = simulation->motes[i].id == id ? &simulation->motes[i] : NULL;
  }
  return stop_mote != NULL;
}

__attribute__((noinline, used)) void
stop_here(void)
{
  __asm__ volatile("" : : : "memory"); /* a call of it is never left out */
}
