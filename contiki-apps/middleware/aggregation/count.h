/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many values there are: an individual event counts one, or whatever number
 * of things its publisher has to report. 16 bits; a count that would be more
 * stays at COUNT_MOST, which keeps the order of merging without matter.
 */
#ifndef COUNT_H_
#define COUNT_H_

#include "merge-function.h"

extern const struct merge_function count_merge_function;

/* Events of this merge function carry one count, two bytes little-endian. */
#define COUNT_DATA_SIZE 2
#define COUNT_MOST 0xffff
void count_put(uint8_t *data, uint16_t count);
uint16_t count_get(const uint8_t *data);

uint16_t count_of(uint16_t a, uint16_t b);

#endif
