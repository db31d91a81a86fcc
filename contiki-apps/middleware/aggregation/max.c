/* SPDX-License-Identifier: Apache-2.0 */
#include "max.h"
#include "pubsub-octets.h"
/*---------------------------------------------------------------------------*/
void
max_put(uint8_t *data, int16_t value)
{
  octets_put16(data, (uint16_t)value);
}
/*---------------------------------------------------------------------------*/
int16_t
max_get(const uint8_t *data)
{
  return (int16_t)octets_get16(data);
}
/*---------------------------------------------------------------------------*/
int16_t
max_of(int16_t a, int16_t b)
{
  return a > b ? a : b;
}
/*---------------------------------------------------------------------------*/
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  struct pubsub_event *stored = &state->stored;

  if(stored->length != MAX_DATA_SIZE || arrived->length != MAX_DATA_SIZE) {
    return false;
  }
  max_put(stored->data, max_of(max_get(stored->data), max_get(arrived->data)));
  return true;
}
/*---------------------------------------------------------------------------*/
const struct merge_function max_merge_function = {
  merge, NULL, NULL, MAX_DATA_SIZE
};
