/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "policy-update-air.h"
#include "pubsub-octets.h"
#if POLICY_UPDATE_SEALED
#include "secure-group/secure-group.h"
#endif

#define MOST 2 /* values of 16 bits */
/*---------------------------------------------------------------------------*/
#if POLICY_UPDATE_SEALED
/* Values that were sealed one after the other belong together. */
static uint8_t
write_values(uint8_t *data, const uint16_t *values, uint8_t count)
{
  struct policy_sealed sealed;
  uint8_t i;

  for(i = 0; i < count; i++) {
    sealed = secure_group_encrypt((int16_t)values[i], POLICY_UPDATE_KEY);
    memcpy(data + i * sizeof(sealed), &sealed, sizeof(sealed));
  }
  return count * sizeof(sealed);
}
/*---------------------------------------------------------------------------*/
static bool
read_values(uint16_t *values, uint8_t count, const struct pubsub_event *event)
{
  struct policy_sealed sealed[MOST];
  bool is_ours = true;
  uint8_t i;

  if(event->length != count * sizeof(sealed[0])) {
    policy_update_counters.updates_malformed++;
    return false;
  }
  memcpy(sealed, event->data, event->length);
  for(i = 0; i < count; i++) {
    is_ours = is_ours && secure_group_sealer(&sealed[i]) == event->contributor[0].publisher
      && (i == 0 || secure_group_follows(&sealed[i - 1], &sealed[i]))
      && secure_group_test(sealed[i], POLICY_UPDATE_KEY);
  }
  if(!is_ours) {
    policy_update_counters.updates_not_ours++;
    return false;
  }
  for(i = 0; i < count; i++) {
    values[i] = (uint16_t)secure_group_decrypt(sealed[i], POLICY_UPDATE_KEY);
  }
  return true;
}
#else
static uint8_t
write_values(uint8_t *data, const uint16_t *values, uint8_t count)
{
  uint8_t i;

  for(i = 0; i < count; i++) {
    pubsub_put16(data + 2 * i, values[i]);
  }
  return 2 * count;
}
/*---------------------------------------------------------------------------*/
static bool
read_values(uint16_t *values, uint8_t count, const struct pubsub_event *event)
{
  uint8_t i;

  if(event->length != 2 * count) {
    policy_update_counters.updates_malformed++;
    return false;
  }
  for(i = 0; i < count; i++) {
    values[i] = pubsub_get16(event->data + 2 * i);
  }
  return true;
}
#endif
/*---------------------------------------------------------------------------*/
uint8_t
policy_update_write(uint8_t *data, const struct policy_update_air *update)
{
  uint16_t values[] = {
    (uint16_t)(update->is_only << 15 | update->number << 8 | update->to),
    (uint16_t)(update->is_first << 15 | update->what << 12 | update->policy << 6 | update->other)
  };

  return write_values(data, values, MOST);
}
/*---------------------------------------------------------------------------*/
uint8_t
policy_update_write_answer(uint8_t *data, const struct policy_update_answer_air *answer)
{
  uint16_t value = answer->sender << 8 | answer->is_refused << 7 | answer->number;

  return write_values(data, &value, 1);
}
/*---------------------------------------------------------------------------*/
bool
policy_update_read(struct policy_update_air *update, const struct pubsub_event *event)
{
  uint16_t values[MOST];

  if(!read_values(values, MOST, event)) {
    return false;
  }
  *update = (struct policy_update_air) {
    .is_only = values[0] >> 15, .number = values[0] >> 8 & 127, .to = values[0] & 0xff,
    .is_first = values[1] >> 15, .what = values[1] >> 12 & 7,
    .policy = values[1] >> 6 & POLICY_UPDATE_LARGEST, .other = values[1] & POLICY_UPDATE_LARGEST
  };
  if(update->number == POLICY_UPDATE_NONE) {
    policy_update_counters.updates_malformed++;
    return false;
  }
  return true;
}
/*---------------------------------------------------------------------------*/
bool
policy_update_read_answer(struct policy_update_answer_air *answer,
                          const struct pubsub_event *event)
{
  uint16_t value;

  if(!read_values(&value, 1, event)) {
    return false;
  }
  *answer = (struct policy_update_answer_air) {
    .sender = value >> 8, .is_refused = value >> 7 & 1, .number = value & 127
  };
  return true;
}
