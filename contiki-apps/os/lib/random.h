/* SPDX-License-Identifier: Apache-2.0 */
/* The mote's own random numbers, which no other mote's boot or draw affects. */
#ifndef RANDOM_H_
#define RANDOM_H_

#include <stdint.h>

#define RANDOM_RAND_MAX 65535U

/* Called by the platform before the first draw. */
void random_seed(uint64_t seed, uint64_t sequence);

void random_init(unsigned short seed);

/* 0 .. RANDOM_RAND_MAX, each as likely. */
unsigned short random_rand(void);

#endif
