/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest of 16-bit values. It is exact, and the same in any order of
 * merging.
 */
#ifndef MERGE_MAX_H_
#define MERGE_MAX_H_

#include "merge-function.h"

extern const struct merge_function merge_max_function;

/* Events of this merge function carry one value, two bytes little-endian. */
#define MERGE_MAX_DATA_SIZE 2
void merge_max_put(uint8_t *data, int16_t value);
int16_t merge_max_get(const uint8_t *data);

int16_t merge_max_of(int16_t a, int16_t b);

#endif
