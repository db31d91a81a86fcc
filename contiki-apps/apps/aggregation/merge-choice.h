/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The merge function of the topic: which data an individual event carries with
 * it, and whether a delivered event holds the data that it must by the
 * schedule.
 */
#ifndef MERGE_CHOICE_H_
#define MERGE_CHOICE_H_

#include "merge-function.h"

enum merge_choice {
  MERGE_CHOICE_MEAN = 1,
  MERGE_CHOICE_SUM,
  MERGE_CHOICE_MIN,
  MERGE_CHOICE_MAX,
  MERGE_CHOICE_COUNT,
  MERGE_CHOICE_HISTOGRAM,
  MERGE_CHOICE_LAST = MERGE_CHOICE_HISTOGRAM
};

const struct merge_function *merge_choice_function(uint8_t choice);

/* Write the data of an individual event with that reading; returns its length,
   at most PUBSUB_MAX_DATA. */
uint8_t merge_choice_put(uint8_t choice, uint8_t *data, int16_t reading);

/*
 * Whether the event's data is the result of its contributors' readings, in
 * their order: exactly, or for the mean within the bound that mean.h gives.
 */
bool merge_choice_right(uint8_t choice, const struct pubsub_event *event,
                        const int16_t *readings);

#endif
