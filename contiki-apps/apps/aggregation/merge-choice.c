/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "count.h"
#include "histogram.h"
#include "max.h"
#include "mean.h"
#include "merge-choice.h"
#include "min.h"
#include "sum.h"

static const struct {
  const struct merge_function *function;
  uint8_t size;
} choices[] = {
  [MERGE_CHOICE_MEAN] = { &merge_mean_function, MERGE_MEAN_DATA_SIZE },
  [MERGE_CHOICE_SUM] = { &merge_sum_function, MERGE_SUM_DATA_SIZE },
  [MERGE_CHOICE_MIN] = { &merge_min_function, MERGE_MIN_DATA_SIZE },
  [MERGE_CHOICE_MAX] = { &merge_max_function, MERGE_MAX_DATA_SIZE },
  [MERGE_CHOICE_COUNT] = { &merge_count_function, MERGE_COUNT_DATA_SIZE },
  [MERGE_CHOICE_HISTOGRAM] = { &merge_histogram_function, MERGE_HISTOGRAM_DATA_SIZE }
};
/*---------------------------------------------------------------------------*/
const struct merge_function *
merge_choice_function(uint8_t choice)
{
  return choices[choice].function;
}
/*---------------------------------------------------------------------------*/
uint8_t
merge_choice_put(uint8_t choice, uint8_t *data, int16_t reading)
{
  switch(choice) {
  case MERGE_CHOICE_SUM:
    merge_sum_put(data, reading);
    break;
  case MERGE_CHOICE_COUNT:
    merge_count_put(data, 1);
    break;
  case MERGE_CHOICE_HISTOGRAM:
    merge_histogram_put(data, reading);
    break;
  default: /* mean, min, max: the reading itself */
    merge_mean_put(data, reading);
  }
  return choices[choice].size;
}
/*---------------------------------------------------------------------------*/
/* 2 |sum - mean n| <= n (n - 1): at most n - 1 merges, each off by a half. */
static bool
mean_right(int16_t mean, int32_t sum, int32_t n)
{
  int32_t off = sum - mean * n;

  return 2 * (off < 0 ? -off : off) <= n * (n - 1);
}
/*---------------------------------------------------------------------------*/
bool
merge_choice_right(uint8_t choice, const struct pubsub_event *event,
                   const int16_t *readings)
{
  uint8_t bins[MERGE_HISTOGRAM_BINS] = { 0 };
  int16_t least = INT16_MAX, most = INT16_MIN;
  int32_t sum = 0;
  unsigned i;

  if(event->length != choices[choice].size) {
    return false;
  }
  for(i = 0; i < event->contributors; i++) {
    sum += readings[i];
    least = readings[i] < least ? readings[i] : least;
    most = readings[i] > most ? readings[i] : most;
    bins[merge_histogram_bin(readings[i])]++;
  }
  switch(choice) {
  case MERGE_CHOICE_SUM:
    return merge_sum_get(event->data) == sum;
  case MERGE_CHOICE_MIN:
    return merge_min_get(event->data) == least;
  case MERGE_CHOICE_MAX:
    return merge_max_get(event->data) == most;
  case MERGE_CHOICE_COUNT:
    return merge_count_get(event->data) == event->contributors;
  case MERGE_CHOICE_HISTOGRAM:
    return memcmp(event->data, bins, sizeof(bins)) == 0;
  default:
    return mean_right(merge_mean_get(event->data), sum, event->contributors);
  }
}
