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
  [MERGE_MEAN] = { &mean_merge_function, MEAN_DATA_SIZE },
  [MERGE_SUM] = { &sum_merge_function, SUM_DATA_SIZE },
  [MERGE_MIN] = { &min_merge_function, MIN_DATA_SIZE },
  [MERGE_MAX] = { &max_merge_function, MAX_DATA_SIZE },
  [MERGE_COUNT] = { &count_merge_function, COUNT_DATA_SIZE },
  [MERGE_HISTOGRAM] = { &histogram_merge_function, HISTOGRAM_DATA_SIZE }
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
  case MERGE_SUM:
    sum_put(data, reading);
    break;
  case MERGE_COUNT:
    count_put(data, 1);
    break;
  case MERGE_HISTOGRAM:
    histogram_put(data, reading);
    break;
  default: /* mean, min, max: the reading itself */
    mean_put(data, reading);
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
  uint8_t bins[HISTOGRAM_BINS] = { 0 };
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
    bins[histogram_bin(readings[i])]++;
  }
  switch(choice) {
  case MERGE_SUM:
    return sum_get(event->data) == sum;
  case MERGE_MIN:
    return min_get(event->data) == least;
  case MERGE_MAX:
    return max_get(event->data) == most;
  case MERGE_COUNT:
    return count_get(event->data) == event->contributors;
  case MERGE_HISTOGRAM:
    return memcmp(event->data, bins, sizeof(bins)) == 0;
  default:
    return mean_right(mean_get(event->data), sum, event->contributors);
  }
}
