/* SPDX-License-Identifier: Apache-2.0 */
#include "max.h"
#include "pubsub-octets.h"
/*---------------------------------------------------------------------------*/
void
merge_max_put(uint8_t *data, int16_t value)
{
  pubsub_put16(data, (uint16_t)value);
}
/*---------------------------------------------------------------------------*/
int16_t
merge_max_get(const uint8_t *data)
{
  return (int16_t)pubsub_get16(data);
}
/*---------------------------------------------------------------------------*/
int16_t
merge_max_of(int16_t a, int16_t b)
{
  return a > b ? a : b;
}
/*---------------------------------------------------------------------------*/
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  struct pubsub_event *stored = &state->stored;

  if(stored->length != MERGE_MAX_DATA_SIZE || arrived->length != MERGE_MAX_DATA_SIZE) {
    return false;
  }
  merge_max_put(stored->data, merge_max_of(merge_max_get(stored->data),
                                          merge_max_get(arrived->data)));
  return true;
}
/*---------------------------------------------------------------------------*/
const struct merge_function merge_max_function = {
  merge, NULL, NULL, MERGE_MAX_DATA_SIZE
};
