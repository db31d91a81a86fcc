/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a mote, and what it counts: the same for both ciphers. */
#include <string.h>
#include "contiki.h"
#include "secure-group.h"

struct secure_group_counters secure_group_counters;

static struct {
  bool is_set;
  uint8_t key[SECURE_GROUP_KEY_SIZE];
} keys[SECURE_GROUP_KEYS];
/*---------------------------------------------------------------------------*/
void
secure_group_reset(void)
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
const uint8_t *
secure_group_key(uint8_t number)
{
  if(number < SECURE_GROUP_KEYS && keys[number].is_set) {
    return keys[number].key;
  }
  secure_group_counters.group_no_key++;
  return NULL;
}
