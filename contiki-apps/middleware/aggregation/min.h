/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest of 16-bit values. Exact, and in any order of merging the same.
 */
#ifndef MIN_H_
#define MIN_H_

#include "merge-function.h"

extern const struct merge_function min_merge_function;

/* Events of this merge function carry one value, two bytes little-endian. */
#define MIN_DATA_SIZE 2
void min_put(uint8_t *data, int16_t value);
int16_t min_get(const uint8_t *data);

int16_t min_of(int16_t a, int16_t b);

#endif
