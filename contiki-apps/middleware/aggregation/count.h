/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts values: an individual event counts one, or whatever number of things
 * its publisher reports. The count has 16 bits and stays at MERGE_COUNT_MOST
 * where it would be more, so that the order of merging doesn't matter.
 */
#ifndef MERGE_COUNT_H_
#define MERGE_COUNT_H_

#include "merge-function.h"

extern const struct merge_function merge_count_function;

/* Events of this merge function carry one count, two bytes little-endian. */
#define MERGE_COUNT_DATA_SIZE 2
#define MERGE_COUNT_MOST 0xffff
void merge_count_put(uint8_t *data, uint16_t count);
uint16_t merge_count_get(const uint8_t *data);

uint16_t merge_count_of(uint16_t a, uint16_t b);

#endif
