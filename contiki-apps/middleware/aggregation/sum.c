/* SPDX-License-Identifier: Apache-2.0 */
#include "pubsub-octets.h"
#include "sum.h"
/*---------------------------------------------------------------------------*/
void
merge_sum_put(uint8_t *data, int32_t sum)
{
  pubsub_put32(data, (uint32_t)sum);
}
/*---------------------------------------------------------------------------*/
int32_t
merge_sum_get(const uint8_t *data)
{
  return (int32_t)pubsub_get32(data);
}
/*---------------------------------------------------------------------------*/
int32_t
merge_sum_of(int32_t a, int32_t b)
{
  /* Unsigned numbers wrap round by the language's rules, signed ones don't. */
  return (int32_t)((uint32_t)a + (uint32_t)b);
}
/*---------------------------------------------------------------------------*/
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  struct pubsub_event *stored = &state->stored;

  if(stored->length != MERGE_SUM_DATA_SIZE || arrived->length != MERGE_SUM_DATA_SIZE) {
    return false;
  }
  merge_sum_put(stored->data, merge_sum_of(merge_sum_get(stored->data),
                                          merge_sum_get(arrived->data)));
  return true;
}
/*---------------------------------------------------------------------------*/
const struct merge_function merge_sum_function = {
  merge, NULL, NULL, MERGE_SUM_DATA_SIZE
};
