/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram of 16-bit values: MERGE_HISTOGRAM_BINS bins of the same width over all
 * of -32768 to 32767, a byte each, which stays at 255. Below that it is exact, and
 * the same in any order of merging.
 *
 * Every bin takes room that contributors could have in a frame: of 100 bytes, 18
 * are headers and 3 go to each contributor, which leaves 24 contributors with
 * eight bins, 16 with 32, and 26 with the two bytes of a mean.
 */
#ifndef MERGE_HISTOGRAM_H_
#define MERGE_HISTOGRAM_H_

#include "merge-function.h"

#ifdef MERGE_HISTOGRAM_CONF_BINS
#define MERGE_HISTOGRAM_BINS MERGE_HISTOGRAM_CONF_BINS
#else
#define MERGE_HISTOGRAM_BINS 8
#endif

extern const struct merge_function merge_histogram_function;

/* Events of this merge function carry the bins, lowest values first. */
#define MERGE_HISTOGRAM_DATA_SIZE MERGE_HISTOGRAM_BINS

/* The bin of a value. */
unsigned merge_histogram_bin(int16_t value);

/* The histogram of one value. */
void merge_histogram_put(uint8_t *data, int16_t value);

/* Put the histogram `other` into `bins`. */
void merge_histogram_add(uint8_t *bins, const uint8_t *other);

#endif
