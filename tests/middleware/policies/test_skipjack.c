/* SPDX-License-Identifier: Apache-2.0 */
/* Skipjack, and secure groups that use it (SECURE_GROUP_CONF_SKIPJACK). */
#include <string.h>
#include "host.h"
#include "secure-group.h"
#include "skipjack.h"
/*---------------------------------------------------------------------------*/
/* SKIPJACK and KEA Algorithm Specifications, version 2.0, annex II. */
static void
it_is_that_of_the_specification(void)
{
  static const uint8_t key[10] = {
    0x00, 0x99, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11
  };
  static const uint8_t clear[8] = { 0x33, 0x22, 0x11, 0x00, 0xdd, 0xcc, 0xbb, 0xaa };
  static const uint8_t sealed[8] = { 0x25, 0x87, 0xca, 0xe2, 0x7a, 0x12, 0xd3, 0x00 };
  uint8_t block[8];

  memcpy(block, clear, 8);
  secure_group_skipjack_encrypt(block, key);
  CHECK(memcmp(block, sealed, 8) == 0);
  secure_group_skipjack_decrypt(block, key);
  CHECK(memcmp(block, clear, 8) == 0);
}
/*---------------------------------------------------------------------------*/
static void
a_group_shares_a_key(void)
{
  static const uint8_t key[10] = "0123456789", other[10] = "012345678:";
  struct policy_sealed sealed;

  secure_group_init(1, 0);
  CHECK_EQUAL(secure_group_encrypt(5, 0).octets[0], 0);
  CHECK_EQUAL(secure_group_counters.group_no_key, 1);
  CHECK(secure_group_set_key(0, key));
  CHECK(!secure_group_set_key(SECURE_GROUP_KEYS, key));
  sealed = secure_group_encrypt(-5, 0);
  CHECK(secure_group_test(sealed, 0));
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), -5);
  CHECK(secure_group_test(sealed, 0)); /* nothing hinders a replay: see secure-group.h */
  CHECK(!secure_group_test(sealed, SECURE_GROUP_KEYS));
  secure_group_set_key(0, other);
  CHECK(!secure_group_test(sealed, 0));
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), 0);
  CHECK_EQUAL(secure_group_counters.group_not_ours, 2);
}
/*---------------------------------------------------------------------------*/
/* What only AES-CCM* tells apart is never counted. */
static void
check_counted(unsigned sealed, unsigned opened, unsigned not_ours, unsigned no_key)
{
  CHECK_EQUAL(secure_group_counters.group_sealed, sealed);
  CHECK_EQUAL(secure_group_counters.group_opened, opened);
  CHECK_EQUAL(secure_group_counters.group_not_ours, not_ours);
  CHECK_EQUAL(secure_group_counters.group_no_key, no_key);
  CHECK_EQUAL(secure_group_counters.group_replayed + secure_group_counters.group_no_room, 0);
}
/*---------------------------------------------------------------------------*/
/* A block is the value, its low octet first, and six octets of 0; each of them is looked at. */
static void
a_block_is_a_value_and_zeros(void)
{
  static const uint8_t key[10] = "0123456789", five_below[8] = { 0xfb, 0xff };
  struct policy_sealed sealed;
  uint8_t i;

  secure_group_init(1, 0);
  secure_group_set_key(0, key);
  sealed = secure_group_encrypt(-5, 0);
  secure_group_skipjack_decrypt(sealed.octets, key);
  CHECK(memcmp(sealed.octets, five_below, 8) == 0);
  for(i = 2; i < 8; i++) {
    memcpy(sealed.octets, five_below, 8);
    sealed.octets[i] = 1;
    secure_group_skipjack_encrypt(sealed.octets, key);
    CHECK(!secure_group_test(sealed, 0));
    CHECK_EQUAL(secure_group_decrypt(sealed, 0), 0);
  }
  check_counted(1, 0, 12, 0);
}
/*---------------------------------------------------------------------------*/
static void
all_is_counted_until_the_next_boot(void)
{
  static const uint8_t key[10] = "0123456789";
  static const struct policy_sealed nothing;
  struct policy_sealed sealed;

  secure_group_init(1, 0);
  check_counted(0, 0, 0, 0);
  secure_group_set_key(0, key);
  secure_group_encrypt(1, 0);
  sealed = secure_group_encrypt(2, 0);
  check_counted(2, 0, 0, 0);
  CHECK(secure_group_test(sealed, 0)); /* asking opens nothing */
  check_counted(2, 0, 0, 0);
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), 2);
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), 2);
  check_counted(2, 2, 0, 0);
  CHECK_EQUAL(secure_group_decrypt(nothing, 0), 0);
  check_counted(2, 2, 1, 0);
  CHECK_EQUAL(secure_group_decrypt(sealed, SECURE_GROUP_KEYS), 0);
  check_counted(2, 2, 1, 1);
  secure_group_init(1, 0);
  check_counted(0, 0, 0, 0);
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), 0); /* the key is gone, too */
  CHECK(memcmp(secure_group_encrypt(2, 0).octets, nothing.octets, sizeof(nothing.octets)) == 0);
  check_counted(0, 0, 0, 2);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(it_is_that_of_the_specification),
    T(a_group_shares_a_key),
    T(a_block_is_a_value_and_zeros),
    T(all_is_counted_until_the_next_boot),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
