/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mean of 16-bit values (5.2.2 of the aggregation paper), weighted by how
 * many individual events each side represents.
 *
 * Rounding: to the nearest whole number, halves away from zero, at every merge.
 * The stored mean is a whole number again, so a mean of n events built in k
 * merges differs from the true one by at most k halves, and by less than one
 * half per merge when single events join a large aggregate, since the error
 * already there is weighed down with each.
 */
#ifndef MERGE_MEAN_H_
#define MERGE_MEAN_H_

#include "merge-function.h"

extern const struct merge_function merge_mean_function;

/* Events of this merge function carry one value, two bytes little-endian. */
#define MERGE_MEAN_DATA_SIZE 2
void merge_mean_put(uint8_t *data, int16_t value);
int16_t merge_mean_get(const uint8_t *data);

/* The mean of `a`, standing for `events_a` events, and `b`, for `events_b`. */
int16_t merge_mean_of(int16_t a, uint8_t events_a, int16_t b, uint8_t events_b);

#endif
