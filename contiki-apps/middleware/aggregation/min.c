/* SPDX-License-Identifier: Apache-2.0 */
#include "min.h"
#include "pubsub-octets.h"
/*---------------------------------------------------------------------------*/
void
min_put(uint8_t *data, int16_t value)
{
  octets_put16(data, (uint16_t)value);
}
/*---------------------------------------------------------------------------*/
int16_t
min_get(const uint8_t *data)
{
  return (int16_t)octets_get16(data);
}
/*---------------------------------------------------------------------------*/
int16_t
min_of(int16_t a, int16_t b)
{
  return a < b ? a : b;
}
/*---------------------------------------------------------------------------*/
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  struct pubsub_event *stored = &state->stored;

  if(stored->length != MIN_DATA_SIZE || arrived->length != MIN_DATA_SIZE) {
    return false;
  }
  min_put(stored->data, min_of(min_get(stored->data), min_get(arrived->data)));
  return true;
}
/*---------------------------------------------------------------------------*/
const struct merge_function min_merge_function = {
  merge, NULL, NULL, MIN_DATA_SIZE
};
