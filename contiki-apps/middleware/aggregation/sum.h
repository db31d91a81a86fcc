/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sum of 16-bit values in 32 bits, modulo 2^32: an overflow wraps round, so
 * that the order of merging never matters and a sum that fits is right even if
 * one on the way did not. An event names at most 255 values, whose sum takes 24
 * bits, so that values which were put in one by one never overflow. Nothing is
 * rounded.
 */
#ifndef MERGE_SUM_H_
#define MERGE_SUM_H_

#include "merge-function.h"

extern const struct merge_function merge_sum_function;

/* Events of this merge function carry one sum, four bytes little-endian. */
#define MERGE_SUM_DATA_SIZE 4
void merge_sum_put(uint8_t *data, int32_t sum);
int32_t merge_sum_get(const uint8_t *data);

int32_t merge_sum_of(int32_t a, int32_t b);

#endif
