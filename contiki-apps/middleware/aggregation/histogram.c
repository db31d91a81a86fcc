/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "histogram.h"

#if MERGE_HISTOGRAM_BINS < 1 || MERGE_HISTOGRAM_BINS > PUBSUB_MAX_DATA
#error "MERGE_HISTOGRAM_CONF_BINS: 1 to PUBSUB_MAX_DATA bins"
#endif
/*---------------------------------------------------------------------------*/
unsigned
merge_histogram_bin(int16_t value)
{
  return (uint32_t)((int32_t)value + 32768) * MERGE_HISTOGRAM_BINS >> 16;
}
/*---------------------------------------------------------------------------*/
void
merge_histogram_put(uint8_t *data, int16_t value)
{
  memset(data, 0, MERGE_HISTOGRAM_DATA_SIZE);
  data[merge_histogram_bin(value)] = 1;
}
/*---------------------------------------------------------------------------*/
void
merge_histogram_add(uint8_t *bins, const uint8_t *other)
{
  unsigned i;

  for(i = 0; i < MERGE_HISTOGRAM_BINS; i++) {
    bins[i] = bins[i] > 255 - other[i] ? 255 : bins[i] + other[i];
  }
}
/*---------------------------------------------------------------------------*/
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  if(state->stored.length != MERGE_HISTOGRAM_DATA_SIZE
     || arrived->length != MERGE_HISTOGRAM_DATA_SIZE) {
    return false;
  }
  merge_histogram_add(state->stored.data, arrived->data);
  return true;
}
/*---------------------------------------------------------------------------*/
const struct merge_function merge_histogram_function = {
  merge, NULL, NULL, MERGE_HISTOGRAM_DATA_SIZE
};
