/* SPDX-License-Identifier: Apache-2.0 */
/* PCG-XSH-RR 64/32 of O'Neill, "PCG: A Family of Simple Fast Space-Efficient
   Statistically Good Algorithms for Random Number Generation", 2014. Of each
   number the upper 16 bits are used. */
#include "lib/random.h"

#include <stdint.h>

#include "sys/node-id.h"

#define MULTIPLIER UINT64_C(6364136223846793005)

static uint64_t state, increment = 1;

static uint32_t
next(void)
{
  uint64_t old = state;

  state = old * MULTIPLIER + increment;
  uint32_t shifted = (uint32_t)((old >> 18 ^ old) >> 27);
  unsigned rotation = (unsigned)(old >> 59);
  return shifted >> rotation | shifted << (-rotation & 31);
}

/* Different sequences are unrelated, even with the same seed. */
void
random_seed(uint64_t seed, uint64_t sequence)
{
  increment = sequence << 1 | 1;
  state = increment + seed;
  next();
  /* Seeds and sequences are small numbers here. After one step only, the first
     draws would still resemble each other. */
  next();
}

void
random_init(unsigned short seed)
{
  random_seed(seed, node_id);
}

unsigned short
random_rand(void)
{
  return (unsigned short)(next() >> 16);
}
