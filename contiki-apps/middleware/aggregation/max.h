/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest of 16-bit values. Exact, and in any order of merging the same.
 */
#ifndef MAX_H_
#define MAX_H_

#include "merge-function.h"

extern const struct merge_function max_merge_function;

/* Events of this merge function carry one value, two bytes little-endian. */
#define MAX_DATA_SIZE 2
void max_put(uint8_t *data, int16_t value);
int16_t max_get(const uint8_t *data);

int16_t max_of(int16_t a, int16_t b);

#endif
