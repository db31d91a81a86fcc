/* SPDX-License-Identifier: Apache-2.0 */
#include "count.h"
#include "pubsub-octets.h"
/*---------------------------------------------------------------------------*/
void
count_put(uint8_t *data, uint16_t count)
{
  octets_put16(data, count);
}
/*---------------------------------------------------------------------------*/
uint16_t
count_get(const uint8_t *data)
{
  return octets_get16(data);
}
/*---------------------------------------------------------------------------*/
uint16_t
count_of(uint16_t a, uint16_t b)
{
  return a > COUNT_MOST - b ? COUNT_MOST : a + b;
}
/*---------------------------------------------------------------------------*/
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  struct pubsub_event *stored = &state->stored;

  if(stored->length != COUNT_DATA_SIZE || arrived->length != COUNT_DATA_SIZE) {
    return false;
  }
  count_put(stored->data,
            count_of(count_get(stored->data), count_get(arrived->data)));
  return true;
}
/*---------------------------------------------------------------------------*/
const struct merge_function count_merge_function = {
  merge, NULL, NULL, COUNT_DATA_SIZE
};
