/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts delays by size in bounded memory: a bucket for each millisecond below 8 ms,
 * then eight buckets for each octave, so that a bucket's width is at most an eighth
 * of its delay.
 */
#ifndef DELAY_HISTOGRAM_H_
#define DELAY_HISTOGRAM_H_

#include <stdint.h>

/* Up to 2^20 - 1 ms (17 min); longer ones count in the last bucket. */
#define DELAY_BUCKETS (8 + 17 * 8)

struct delay_histogram {
  uint32_t count[DELAY_BUCKETS];
};

void delay_histogram_add(struct delay_histogram *histogram, uint32_t ms);

/* The largest delay that a bucket holds, ms. */
uint32_t delay_histogram_upper(unsigned bucket);

#endif
