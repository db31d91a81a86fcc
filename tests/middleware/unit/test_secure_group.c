/* SPDX-License-Identifier: Apache-2.0 */
/* AES-128, CCM* and secure groups that use them. */
#include <string.h>
#include "host.h"
#include "lib/aes-128.h"
#include "lib/ccm-star.h"
#include "secure-group.h"

static const uint8_t key[16] = "0123456789abcdef";
static const uint8_t other[16] = "0123456789abcdeg";
/*---------------------------------------------------------------------------*/
static void
read(uint8_t *octets, const char *hexadecimal)
{
  unsigned octet;

  for(; *hexadecimal != 0; hexadecimal += 2) {
    sscanf(hexadecimal, "%2x", &octet);
    *octets++ = octet;
  }
}
/*---------------------------------------------------------------------------*/
static void
check_octets(const uint8_t *octets, const char *hexadecimal)
{
  uint8_t expected[64];

  read(expected, hexadecimal);
  CHECK(memcmp(octets, expected, strlen(hexadecimal) / 2) == 0);
}
/*---------------------------------------------------------------------------*/
/* FIPS 197, appendices B and C.1. */
static void
aes_is_that_of_fips_197(void)
{
  uint8_t octets[16], k[16];

  read(k, "000102030405060708090a0b0c0d0e0f");
  read(octets, "00112233445566778899aabbccddeeff");
  AES_128.set_key(k);
  AES_128.encrypt(octets);
  check_octets(octets, "69c4e0d86a7b0430d8cdb78070b4c55a");
  read(k, "2b7e151628aed2a6abf7158809cf4f3c");
  read(octets, "3243f6a8885a308d313198a2e0370734");
  AES_128.set_key(k);
  AES_128.encrypt(octets);
  check_octets(octets, "3925841d02dc09fbdc118597196a0b32");
}
/*---------------------------------------------------------------------------*/
/* One vector of IEEE 802.15.4-2006, annex C.2, both ways. */
static void
vector(const char *nonce, const char *a, const char *m, const char *c, const char *mic)
{
  uint8_t n[16], header[64], message[16], result[16], k[16];
  uint16_t size = strlen(m) / 2, code = strlen(mic) / 2;

  read(k, "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf");
  read(n, nonce);
  read(header, a);
  read(message, m);
  CCM_STAR.set_key(k);
  CCM_STAR.aead(n, message, size, header, strlen(a) / 2, result, code, 1);
  check_octets(message, c);
  check_octets(result, mic);
  memset(result, 0, sizeof(result));
  CCM_STAR.aead(n, message, size, header, strlen(a) / 2, result, code, 0);
  check_octets(message, m);
  check_octets(result, mic);
}

static void
ccm_star_is_that_of_ieee_802_15_4(void)
{
  /* a beacon: code only; data: encrypted only; a MAC command: both */
  vector("acde4800000000010000000502",
         "08d0842143010000000048deac020500000055cf000051525354", "", "",
         "223bc1ec841ab553");
  vector("acde4800000000010000000504",
         "69dc842143020000000048deac010000000048deac0405000000", "61626364", "d43e022b", "");
  vector("acde4800000000010000000506",
         "2bdc842143020000000048deacffff010000000048deac060500000001", "ce", "d8",
         "4fde529061f9c6f1");
}
/*---------------------------------------------------------------------------*/
static void
start(uint16_t mote, uint32_t counter)
{
  secure_group_init(mote, counter);
  CHECK(secure_group_set_key(0, key));
}
/*---------------------------------------------------------------------------*/
/* Makes a value that another member sealed, with its counter. */
static struct policy_sealed
sealed_by(uint16_t mote, uint32_t counter, int16_t value)
{
  struct policy_sealed sealed;

  start(mote, counter);
  sealed = secure_group_encrypt(value, 0);
  return sealed;
}
/*---------------------------------------------------------------------------*/
static void
a_member_opens_what_a_member_sealed(void)
{
  struct policy_sealed sealed = sealed_by(7, 100, -1234);

  start(9, 1);
  CHECK(secure_group_test(sealed, 0));
  CHECK(secure_group_test(sealed, 0)); /* asking does not open it */
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), -1234);
  CHECK_EQUAL(secure_group_counters.group_opened, 1);
}
/*---------------------------------------------------------------------------*/
static void
what_is_replayed_is_refused(void)
{
  struct policy_sealed sealed = sealed_by(7, 100, 1);

  start(9, 1);
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), 1);
  CHECK(!secure_group_test(sealed, 0));
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), 0);
  CHECK_EQUAL(secure_group_counters.group_replayed, 2);
}
/*---------------------------------------------------------------------------*/
static void
what_comes_out_of_turn_is_taken_once(void)
{
  struct policy_sealed at[40];
  int16_t i;

  for(i = 0; i < 40; i++) {
    at[i] = sealed_by(7, 100 + i, i);
  }
  start(9, 1);
  CHECK_EQUAL(secure_group_decrypt(at[35], 0), 35);
  CHECK(!secure_group_test(at[3], 0)); /* 32 behind: too old to be told from a replay */
  CHECK(secure_group_test(at[4], 0));
  CHECK_EQUAL(secure_group_decrypt(at[20], 0), 20);
  CHECK(!secure_group_test(at[20], 0));
  CHECK_EQUAL(secure_group_decrypt(at[39], 0), 39);
  CHECK(!secure_group_test(at[20], 0));
  CHECK(!secure_group_test(at[35], 0));
  CHECK_EQUAL(secure_group_decrypt(at[36], 0), 36);
  CHECK(!secure_group_test(at[36], 0));
  CHECK(!secure_group_test(at[4], 0));
}
/*---------------------------------------------------------------------------*/
static void
a_wrong_key_opens_nothing(void)
{
  struct policy_sealed sealed = sealed_by(7, 100, 1);

  secure_group_init(9, 1);
  secure_group_set_key(0, other);
  CHECK(!secure_group_test(sealed, 0));
  CHECK_EQUAL(secure_group_decrypt(sealed, 0), 0);
  CHECK_EQUAL(secure_group_counters.group_not_ours, 2);
}
/*---------------------------------------------------------------------------*/
static void
without_a_key_nothing_is_sealed_or_opened(void)
{
  static const struct policy_sealed nothing;
  struct policy_sealed sealed = sealed_by(7, 100, 1), ours;

  secure_group_init(9, 1);
  CHECK(!secure_group_test(sealed, 0));
  CHECK(!secure_group_test(sealed, SECURE_GROUP_KEYS));
  CHECK(!secure_group_set_key(SECURE_GROUP_KEYS, key));
  ours = secure_group_encrypt(5, 0);
  CHECK(memcmp(&ours, &nothing, sizeof(ours)) == 0);
  CHECK_EQUAL(secure_group_counters.group_no_key, 3);
  start(9, 1);
  CHECK(!secure_group_test(nothing, 0));
}
/*---------------------------------------------------------------------------*/
static void
every_bit_is_authenticated(void)
{
  struct policy_sealed sealed = sealed_by(7, 100, 1);
  unsigned bit;

  start(9, 1);
  for(bit = 0; bit < 8 * SECURE_GROUP_SEALED_SIZE; bit++) {
    sealed.octets[bit / 8] ^= 1 << bit % 8;
    CHECK(!secure_group_test(sealed, 0));
    sealed.octets[bit / 8] ^= 1 << bit % 8;
  }
  CHECK(secure_group_test(sealed, 0));
}
/*---------------------------------------------------------------------------*/
static void
equal_values_look_different(void)
{
  struct policy_sealed a, b;

  start(7, 1);
  a = secure_group_encrypt(5, 0);
  b = secure_group_encrypt(5, 0);
  CHECK(memcmp(a.octets + 6, b.octets + 6, 2) != 0 || memcmp(a.octets + 8, b.octets + 8, 4) != 0);
}
/*---------------------------------------------------------------------------*/
static void
a_counter_that_is_used_up_seals_nothing(void)
{
  static const struct policy_sealed nothing;
  struct policy_sealed sealed;

  start(7, UINT32_MAX);
  sealed = secure_group_encrypt(5, 0);
  CHECK(memcmp(&sealed, &nothing, sizeof(sealed)) == 0);
}
/*---------------------------------------------------------------------------*/
static void
more_members_than_there_is_room_for_are_refused(void)
{
  struct policy_sealed by[SECURE_GROUP_MEMBERS + 1];
  unsigned i;

  for(i = 0; i <= SECURE_GROUP_MEMBERS; i++) {
    by[i] = sealed_by(10 + i, 5, i);
  }
  start(9, 1);
  for(i = 0; i < SECURE_GROUP_MEMBERS; i++) {
    CHECK_EQUAL(secure_group_decrypt(by[i], 0), i);
  }
  CHECK(!secure_group_test(by[i], 0));
  CHECK_EQUAL(secure_group_counters.group_no_room, 1);
}
/*---------------------------------------------------------------------------*/
/* In the order of SECURE_GROUP_COUNTERS. */
static void
check_counted(unsigned sealed, unsigned opened, unsigned not_ours, unsigned replayed, unsigned no_key,
              unsigned no_room)
{
  CHECK_EQUAL(secure_group_counters.group_sealed, sealed);
  CHECK_EQUAL(secure_group_counters.group_opened, opened);
  CHECK_EQUAL(secure_group_counters.group_not_ours, not_ours);
  CHECK_EQUAL(secure_group_counters.group_replayed, replayed);
  CHECK_EQUAL(secure_group_counters.group_no_key, no_key);
  CHECK_EQUAL(secure_group_counters.group_no_room, no_room);
}
/*---------------------------------------------------------------------------*/
static void
all_is_counted_until_the_next_boot(void)
{
  static const struct policy_sealed nothing;
  struct policy_sealed one, two;

  start(7, 100);
  check_counted(0, 0, 0, 0, 0, 0);
  one = secure_group_encrypt(1, 0);
  two = secure_group_encrypt(2, 0);
  check_counted(2, 0, 0, 0, 0, 0);
  CHECK_EQUAL(secure_group_decrypt(two, 0), 2);
  CHECK_EQUAL(secure_group_decrypt(one, 0), 1);
  check_counted(2, 2, 0, 0, 0, 0);
  CHECK_EQUAL(secure_group_decrypt(one, 0), 0);
  CHECK_EQUAL(secure_group_decrypt(nothing, 0), 0);
  check_counted(2, 2, 1, 1, 0, 0);
  CHECK_EQUAL(secure_group_decrypt(two, SECURE_GROUP_KEYS), 0);
  check_counted(2, 2, 1, 1, 1, 0);
  start(7, 102); /* it has forgotten what it opened */
  check_counted(0, 0, 0, 0, 0, 0);
  CHECK_EQUAL(secure_group_decrypt(one, 0), 1);
  check_counted(0, 1, 0, 0, 0, 0);
}
/*---------------------------------------------------------------------------*/
/* Values that belong together are known by who sealed them, and by their counters. */
static void
values_that_were_sealed_one_after_the_other_are_known(void)
{
  struct policy_sealed at[3], others = sealed_by(8, 101, 0);
  unsigned i, j;

  start(7, 100);
  for(i = 0; i < 3; i++) {
    at[i] = secure_group_encrypt(0, 0);
    CHECK_EQUAL(secure_group_sealer(&at[i]), 7);
  }
  for(i = 0; i < 3; i++) {
    for(j = 0; j < 3; j++) {
      CHECK_EQUAL(secure_group_follows(&at[i], &at[j]), j == i + 1);
    }
  }
  CHECK(!secure_group_follows(&at[0], &others));
  others = sealed_by(0x1234, 0x01020304, 0);
  CHECK_EQUAL(secure_group_sealer(&others), 0x1234);
}
/*---------------------------------------------------------------------------*/
/* What is on the air: mote (2), counter (4), the value encrypted (2), code (4), low octets first. */
static void
a_sealed_value_is_what_others_expect(void)
{
  static const uint8_t nonce[CCM_STAR_NONCE_LENGTH] = {
    0, 0, 0, 0, 0, 0, 0x12, 0x34, 0x01, 0x02, 0x03, 0x04, 5
  };
  struct policy_sealed sealed = sealed_by(0x1234, 0x01020304, -1234);
  uint8_t value[2], code[4];

  check_octets(sealed.octets, "341204030201");
  memcpy(value, sealed.octets + 6, 2);
  CCM_STAR.set_key(key);
  CCM_STAR.aead(nonce, value, 2, sealed.octets, 6, code, 4, 0);
  check_octets(value, "2efb");
  CHECK(memcmp(code, sealed.octets + 8, 4) == 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(aes_is_that_of_fips_197),
    T(ccm_star_is_that_of_ieee_802_15_4),
    T(a_member_opens_what_a_member_sealed),
    T(what_is_replayed_is_refused),
    T(what_comes_out_of_turn_is_taken_once),
    T(a_wrong_key_opens_nothing),
    T(without_a_key_nothing_is_sealed_or_opened),
    T(every_bit_is_authenticated),
    T(equal_values_look_different),
    T(a_counter_that_is_used_up_seals_nothing),
    T(more_members_than_there_is_room_for_are_refused),
    T(all_is_counted_until_the_next_boot),
    T(values_that_were_sealed_one_after_the_other_are_known),
    T(a_sealed_value_is_what_others_expect),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
