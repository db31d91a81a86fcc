/* SPDX-License-Identifier: Apache-2.0 */
#include "mean.h"
#include "pubsub-octets.h"
/*---------------------------------------------------------------------------*/
void
merge_mean_put(uint8_t *data, int16_t value)
{
  pubsub_put16(data, (uint16_t)value);
}
/*---------------------------------------------------------------------------*/
int16_t
merge_mean_get(const uint8_t *data)
{
  return (int16_t)pubsub_get16(data);
}
/*---------------------------------------------------------------------------*/
int16_t
merge_mean_of(int16_t a, uint8_t events_a, int16_t b, uint8_t events_b)
{
  /* At most 32768 * 510: 25 bits. */
  int32_t sum = (int32_t)a * events_a + (int32_t)b * events_b;
  int32_t events = (int32_t)events_a + events_b;

  if(sum < 0) {
    return (int16_t)-((-2 * sum + events) / (2 * events));
  }
  return (int16_t)((2 * sum + events) / (2 * events));
}
/*---------------------------------------------------------------------------*/
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  struct pubsub_event *stored = &state->stored;

  if(stored->length != MERGE_MEAN_DATA_SIZE || arrived->length != MERGE_MEAN_DATA_SIZE) {
    return false;
  }
  merge_mean_put(stored->data,
                 merge_mean_of(merge_mean_get(stored->data), stored->contributors,
                               merge_mean_get(arrived->data), arrived->contributors));
  return true;
}
/*---------------------------------------------------------------------------*/
const struct merge_function merge_mean_function = {
  merge, NULL, NULL, MERGE_MEAN_DATA_SIZE
};
