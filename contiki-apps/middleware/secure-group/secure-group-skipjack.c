/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealed: one block of Skipjack, the value (2) and six octets of 0, by which a key
 * is known. BROKEN for today's use: see secure-group.h.
 */
#include <string.h>
#include "contiki.h"
#include "pubsub-octets.h"
#include "secure-group.h"
#include "skipjack.h"

#if SECURE_GROUP_SKIPJACK

_Static_assert(POLICY_SEALED_SIZE >= SECURE_GROUP_BLOCK_SIZE, "one block");

struct secure_group_counters secure_group_counters;

static struct {
  bool is_set;
  uint8_t key[SECURE_GROUP_KEY_SIZE];
} keys[SECURE_GROUP_KEYS];
/*---------------------------------------------------------------------------*/
void
secure_group_init(uint16_t self, uint32_t counter)
{
  memset(keys, 0, sizeof(keys));
  memset(&secure_group_counters, 0, sizeof(secure_group_counters));
}
/*---------------------------------------------------------------------------*/
bool
secure_group_set_key(uint8_t number, const uint8_t *key)
{
  if(number >= SECURE_GROUP_KEYS) {
    return false;
  }
  memcpy(keys[number].key, key, SECURE_GROUP_KEY_SIZE);
  keys[number].is_set = true;
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
has_key(uint8_t number)
{
  if(number < SECURE_GROUP_KEYS && keys[number].is_set) {
    return true;
  }
  secure_group_counters.group_no_key++;
  return false;
}
/*---------------------------------------------------------------------------*/
struct policy_sealed
secure_group_encrypt(int16_t value, uint8_t key)
{
  struct policy_sealed sealed;

  memset(&sealed, 0, sizeof(sealed));
  if(has_key(key)) {
    pubsub_put16(sealed.octets, value);
    secure_group_skipjack_encrypt(sealed.octets, keys[key].key);
    secure_group_counters.group_sealed++;
  }
  return sealed;
}
/*---------------------------------------------------------------------------*/
static bool
open_block(struct policy_sealed *sealed, uint8_t key)
{
  uint8_t i, rest = 0;

  if(!has_key(key)) {
    return false;
  }
  secure_group_skipjack_decrypt(sealed->octets, keys[key].key);
  for(i = 2; i < SECURE_GROUP_BLOCK_SIZE; i++) {
    rest |= sealed->octets[i];
  }
  if(rest != 0) {
    secure_group_counters.group_not_ours++;
  }
  return rest == 0;
}
/*---------------------------------------------------------------------------*/
bool
secure_group_test(struct policy_sealed sealed, uint8_t key)
{
  return open_block(&sealed, key);
}
/*---------------------------------------------------------------------------*/
int16_t
secure_group_decrypt(struct policy_sealed sealed, uint8_t key)
{
  if(!open_block(&sealed, key)) {
    return 0;
  }
  secure_group_counters.group_opened++;
  return (int16_t)pubsub_get16(sealed.octets);
}

#endif
