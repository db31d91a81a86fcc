/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java.util.Random, by the algorithm that its API documentation publishes: a
 * 48-bit linear congruential generator (Knuth, The Art of Computer Programming,
 * volume 2, section 3.2.1).
 */
#ifndef JAVA_RANDOM_H
#define JAVA_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct java_random {
  uint64_t state; /* 48 bits */
  bool has_gaussian; /* they are drawn in pairs */
  double gaussian;
};

void java_random_seed(struct java_random *random, int64_t seed);
int32_t java_random_next(struct java_random *random, int bits); /* 1..32 */
int32_t java_random_int(struct java_random *random, int32_t bound); /* 0 .. bound-1, bound > 0 */
double java_random_double(struct java_random *random);              /* [0, 1) in steps of 2^-53 */

double java_random_gaussian(struct java_random *random);            /* mean 0, standard deviation 1 */

/* Draws a double that is not needed. */
static inline void
java_random_skip_double(struct java_random *random)
{
  /* Two steps in one: state = (state * m + i) * m + i, for m = 0x5DEECE66D, i = 0xB. */
  random->state = (random->state * 0xBB20B4600A69ULL + 0x40942DE6BAULL) & ((1ULL << 48) - 1);
}

#endif
