/* SPDX-License-Identifier: Apache-2.0 */
/* The same random numbers on every Contiki, so that backoffs and sequence numbers are the same, too: the linker takes
   this function for random_rand() (--wrap, in the Makefile). */
#ifndef DRAWN_NUMBERS_H_
#define DRAWN_NUMBERS_H_

#include <stdint.h>

unsigned short __wrap_random_rand(void);

unsigned short
__wrap_random_rand(void)
{
  static uint32_t state = 20241230;

  state = state * 1664525 + 1013904223; /* Knuth, Lewis: as in Press et al., Numerical Recipes, 1992 */
  return (unsigned short)(state >> 16);
}

#endif
