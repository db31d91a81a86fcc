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

/*---------------------------------------------------------------------------*/
void
secure_group_init(uint16_t self, uint32_t counter)
{
  secure_group_reset();
}
/*---------------------------------------------------------------------------*/
struct policy_sealed
secure_group_encrypt(int16_t value, uint8_t number)
{
  const uint8_t *key = secure_group_key(number);
  struct policy_sealed sealed;

  memset(&sealed, 0, sizeof(sealed));
  if(key != NULL) {
    pubsub_put16(sealed.octets, value);
    secure_group_skipjack_encrypt(sealed.octets, key);
    secure_group_counters.group_sealed++;
  }
  return sealed;
}
/*---------------------------------------------------------------------------*/
static bool
open_block(struct policy_sealed *sealed, uint8_t number)
{
  const uint8_t *key = secure_group_key(number);
  uint8_t i, rest = 0;

  if(key == NULL) {
    return false;
  }
  secure_group_skipjack_decrypt(sealed->octets, key);
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
