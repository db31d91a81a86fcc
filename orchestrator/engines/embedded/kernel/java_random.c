/* SPDX-License-Identifier: Apache-2.0 */
#include "java_random.h"

static const uint64_t MULTIPLIER = 0x5DEECE66DULL, INCREMENT = 0xB, MASK = (1ULL << 48) - 1;

void
java_random_seed(struct java_random *random, int64_t seed)
{
  random->state = ((uint64_t)seed ^ MULTIPLIER) & MASK;
}

int32_t
java_random_next(struct java_random *random, int bits)
{
  random->state = (random->state * MULTIPLIER + INCREMENT) & MASK;
  return (int32_t)(uint32_t)(random->state >> (48 - bits));
}

int32_t
java_random_int(struct java_random *random, int32_t bound)
{
  int32_t drawn = java_random_next(random, 31), result;

  if((bound & (bound - 1)) == 0) {
    return (int32_t)(((int64_t)bound * drawn) >> 31);
  }
  /* Values of the incomplete last interval are drawn again: they show as an overflow of 32 bits. */
  while(result = drawn % bound, (int64_t)drawn - result + (bound - 1) > INT32_MAX) {
    drawn = java_random_next(random, 31);
  }
  return result;
}

double
java_random_double(struct java_random *random)
{
  int64_t high = (int64_t)java_random_next(random, 26) << 27;

  return (double)(high + java_random_next(random, 27)) * 0x1.0p-53;
}
