/* SPDX-License-Identifier: Apache-2.0 */
#include "count.h"
#include "pubsub-octets.h"
/*---------------------------------------------------------------------------*/
void
merge_count_put(uint8_t *data, uint16_t count)
{
  pubsub_put16(data, count);
}
/*---------------------------------------------------------------------------*/
uint16_t
merge_count_get(const uint8_t *data)
{
  return pubsub_get16(data);
}
/*---------------------------------------------------------------------------*/
uint16_t
merge_count_of(uint16_t a, uint16_t b)
{
  return a > MERGE_COUNT_MOST - b ? MERGE_COUNT_MOST : a + b;
}
/*---------------------------------------------------------------------------*/
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  struct pubsub_event *stored = &state->stored;

  if(stored->length != MERGE_COUNT_DATA_SIZE || arrived->length != MERGE_COUNT_DATA_SIZE) {
    return false;
  }
  merge_count_put(stored->data,
                  merge_count_of(merge_count_get(stored->data), merge_count_get(arrived->data)));
  return true;
}
/*---------------------------------------------------------------------------*/
const struct merge_function merge_count_function = {
  merge, NULL, NULL, MERGE_COUNT_DATA_SIZE
};
