/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealed: mote (2), counter (4), the value encrypted (2), code (4). The nonce is
 * that of IEEE 802.15.4: address (8), frame counter (4), security level (1); level 5
 * is encryption with a code of 32 bits.
 */
#include <string.h>
#include "contiki.h"
#include "lib/ccm-star.h"
#include "pubsub-octets.h"
#include "secure-group.h"

#if !SECURE_GROUP_SKIPJACK

_Static_assert(POLICY_SEALED_SIZE >= SECURE_GROUP_SEALED_SIZE,
               "set POLICY_CONF_SEALED_SIZE to 12 for AES-CCM*");

#define MOTE_AT 0
#define COUNTER_AT 2
#define VALUE_AT 6
#define CODE_AT 8
#define CODE_SIZE 4
#define LEVEL 5 /* ENC-MIC-32 */

/* Below the newest counter of a member, those that came out of turn. */
#define WINDOW 32

struct member {
  uint16_t mote; /* 0: unused */
  uint32_t newest;
  uint32_t seen; /* bit n: newest - n */
};

static uint16_t self;
static uint32_t next_counter;
static struct member members[SECURE_GROUP_MEMBERS];
/*---------------------------------------------------------------------------*/
void
secure_group_init(uint16_t mote, uint32_t counter)
{
  self = mote;
  next_counter = counter;
  memset(members, 0, sizeof(members));
  secure_group_reset();
}
/*---------------------------------------------------------------------------*/
/* Encrypt or decrypt the value in place, and make the code. */
static void
apply(uint8_t *sealed, const uint8_t *key, uint8_t *code, int forward)
{
  uint8_t nonce[CCM_STAR_NONCE_LENGTH] = { 0 };
  unsigned i;

  nonce[6] = sealed[MOTE_AT + 1]; /* the highest octet first, as the standard says */
  nonce[7] = sealed[MOTE_AT];
  for(i = 0; i < 4; i++) {
    nonce[8 + i] = sealed[COUNTER_AT + 3 - i];
  }
  nonce[12] = LEVEL;
  CCM_STAR.set_key(key);
  CCM_STAR.aead(nonce, sealed + VALUE_AT, 2, sealed, VALUE_AT, code, CODE_SIZE, forward);
}
/*---------------------------------------------------------------------------*/
struct policy_sealed
secure_group_encrypt(int16_t value, uint8_t number)
{
  const uint8_t *key = secure_group_key(number);
  struct policy_sealed sealed;

  memset(&sealed, 0, sizeof(sealed));
  /* A counter that went round would use a nonce again. */
  if(key == NULL || next_counter == UINT32_MAX) {
    return sealed;
  }
  pubsub_put16(sealed.octets + MOTE_AT, self);
  pubsub_put32(sealed.octets + COUNTER_AT, next_counter++);
  pubsub_put16(sealed.octets + VALUE_AT, value);
  apply(sealed.octets, key, sealed.octets + CODE_AT, 1);
  secure_group_counters.group_sealed++;
  return sealed;
}
/*---------------------------------------------------------------------------*/
static struct member *
member_of(uint16_t mote)
{
  unsigned i;

  for(i = 0; i < SECURE_GROUP_MEMBERS; i++) {
    if(members[i].mote == mote || members[i].mote == 0) {
      return &members[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static bool
was_opened(const struct member *member, uint32_t counter)
{
  if(member->mote == 0 || counter > member->newest) {
    return false;
  }
  return member->newest - counter >= WINDOW
    || member->seen >> (member->newest - counter) & 1;
}
/*---------------------------------------------------------------------------*/
static void
remember(struct member *member, uint16_t mote, uint32_t counter)
{
  if(member->mote == 0) {
    member->mote = mote;
    member->newest = counter;
    member->seen = 1;
  } else if(counter > member->newest) {
    member->seen = counter - member->newest < WINDOW
      ? member->seen << (counter - member->newest) : 0;
    member->seen |= 1;
    member->newest = counter;
  } else {
    member->seen |= (uint32_t)1 << (member->newest - counter);
  }
}
/*---------------------------------------------------------------------------*/
uint16_t
secure_group_sealer(const struct policy_sealed *sealed)
{
  return pubsub_get16(sealed->octets + MOTE_AT);
}
/*---------------------------------------------------------------------------*/
bool
secure_group_follows(const struct policy_sealed *one, const struct policy_sealed *next)
{
  return secure_group_sealer(one) == secure_group_sealer(next)
    && pubsub_get32(one->octets + COUNTER_AT) + 1 == pubsub_get32(next->octets + COUNTER_AT);
}
/*---------------------------------------------------------------------------*/
/* Returns the member that sealed it, and opens the value in place; NULL if it is refused. */
static struct member *
check(struct policy_sealed *sealed, uint8_t number)
{
  const uint8_t *key = secure_group_key(number);
  uint8_t code[CODE_SIZE], differ = 0;
  struct member *member;
  uint16_t mote = pubsub_get16(sealed->octets + MOTE_AT);
  unsigned i;

  if(key == NULL) {
    return NULL;
  }
  apply(sealed->octets, key, code, 0);
  for(i = 0; i < CODE_SIZE; i++) {
    differ |= code[i] ^ sealed->octets[CODE_AT + i];
  }
  if(differ != 0 || mote == 0) {
    secure_group_counters.group_not_ours++;
    return NULL;
  }
  member = member_of(mote);
  if(member == NULL) {
    secure_group_counters.group_no_room++;
  } else if(was_opened(member, pubsub_get32(sealed->octets + COUNTER_AT))) {
    secure_group_counters.group_replayed++;
    return NULL;
  }
  return member;
}
/*---------------------------------------------------------------------------*/
bool
secure_group_test(struct policy_sealed sealed, uint8_t key)
{
  return check(&sealed, key) != NULL;
}
/*---------------------------------------------------------------------------*/
int16_t
secure_group_decrypt(struct policy_sealed sealed, uint8_t key)
{
  struct member *member = check(&sealed, key);

  if(member == NULL) {
    return 0;
  }
  remember(member, pubsub_get16(sealed.octets + MOTE_AT),
           pubsub_get32(sealed.octets + COUNTER_AT));
  secure_group_counters.group_opened++;
  return (int16_t)pubsub_get16(sealed.octets + VALUE_AT);
}

#endif
