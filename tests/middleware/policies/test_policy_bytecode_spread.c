/* SPDX-License-Identifier: Apache-2.0 */
/* A policy in bytecode is brought to other motes. */
#include "bytecode_node.h"
/*---------------------------------------------------------------------------*/
/* A program of two parts, version `version`, as its lines; `only`: one of them, or -1. */
static void
type(const uint8_t *program, uint8_t version, uint16_t crc, int only)
{
  char line[80];
  uint16_t at, size;
  int length;

  for(at = 0; at < sizeof(fifty); at += 26) {
    size = sizeof(fifty) - at < 26 ? sizeof(fifty) - at : 26;
    length = sprintf(line, "policy code %02x%02x%02x00%02x%02x", version, at / 26, (unsigned)sizeof(fifty),
                     crc & 0xff, crc >> 8);
    for(unsigned i = 0; i < size; i++) {
      length += sprintf(line + length, "%02x", program[at + i]);
    }
    if(only < 0 || only == at / 26) {
      CHECK(policy_bytecode_line(line));
    }
  }
}

enum { CRC_FIFTY = 0xfe3, CRC_THIRTY = 0x8c7c };
/*---------------------------------------------------------------------------*/
static struct host_frame kept[8];
static unsigned frames;

/* What was sent. */
static void
keep(void)
{
  frames = host_sent_frames;
  CHECK(frames <= 8);
  memcpy(kept, host_sent, frames * sizeof(kept[0]));
}
/*---------------------------------------------------------------------------*/
static void
receive(unsigned number)
{
  CHECK(number < frames);
  host_receive(kept[number].bytes, kept[number].length);
}
/*---------------------------------------------------------------------------*/
/* Mote 7 gets the program at its serial port; what it sends is kept. */
static void
type_elsewhere(const uint8_t *program, uint8_t version, uint16_t crc)
{
  node(7);
  type(program, version, crc, -1);
  CHECK_EQUAL(policy_bytecode_version(), version);
  host_pass(2000);
  keep();
  CHECK_EQUAL(frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
a_program_goes_to_all_motes(void)
{
  type_elsewhere(fifty, 1, CRC_FIFTY);
  node(4);
  receive(0);
  CHECK_EQUAL(policy_bytecode_version(), 0);
  CHECK(publish(51));
  receive(1);
  CHECK_EQUAL(policy_bytecode_version(), 1);
  CHECK(takes(-9, 50));
  host_sent_frames = 0;
  host_pass(1000);
  host_sent_frames = 0; /* what it sent on, and the events */
  host_pass(130 * CLOCK_SECOND);
  CHECK(host_sent_frames > 0); /* it tells of it */
}
/*---------------------------------------------------------------------------*/
static void
what_is_missing_is_asked_for(void)
{
  struct host_frame asks;

  type_elsewhere(fifty, 1, CRC_FIFTY);
  node(4);
  receive(1);
  host_pass(1000);
  host_sent_frames = 0;
  host_pass(2000);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(policy_bytecode_counters.code_asked, 1);
  asks = host_sent[0];
  host_pass(30000);
  CHECK(policy_bytecode_counters.code_asked > 1 && policy_bytecode_counters.code_asked < 6);
  type_elsewhere(fifty, 1, CRC_FIFTY);
  host_sent_frames = 0;
  host_receive(asks.bytes, asks.length);
  host_pass(2000);
  keep();
  CHECK_EQUAL(policy_bytecode_counters.code_parts_sent, 3);
  node(4);
  receive(frames - 1);
  CHECK_EQUAL(policy_bytecode_version(), 0); /* it lost power, and has that part only */
  type_elsewhere(fifty, 1, CRC_FIFTY);
  node(4);
  receive(1);
  receive(0);
  CHECK_EQUAL(policy_bytecode_version(), 1);
}
/*---------------------------------------------------------------------------*/
static void
one_that_lacks_the_same_parts_asks_for_all(void)
{
  struct host_frame asks;

  type_elsewhere(fifty, 1, CRC_FIFTY);
  node(5);
  receive(1);
  host_pass(1000);
  host_sent_frames = 0;
  host_pass(3500);
  CHECK_EQUAL(policy_bytecode_counters.code_asked, 1);
  asks = host_sent[host_sent_frames - 1];
  node(4);
  receive(1);
  host_pass(1500);
  host_receive(asks.bytes, asks.length);
  host_pass(2600); /* its own question would have come */
  CHECK_EQUAL(policy_bytecode_counters.code_asked, 0);
  host_pass(20000); /* nobody answers */
  CHECK(policy_bytecode_counters.code_asked > 0);
  node(4);
  receive(0); /* it lacks another one */
  host_pass(1500);
  host_receive(asks.bytes, asks.length);
  host_pass(2600);
  CHECK_EQUAL(policy_bytecode_counters.code_asked, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_newer_one_takes_its_place_and_an_older_one_does_not(void)
{
  type_elsewhere(thirty, 2, CRC_THIRTY);
  node(4);
  type(fifty, 1, CRC_FIFTY, -1);
  receive(0);
  CHECK(takes(-9, 50));
  receive(1);
  CHECK_EQUAL(policy_bytecode_version(), 2);
  CHECK(takes(-9, 30));
  type_elsewhere(fifty, 1, CRC_FIFTY);
  node(4);
  type(thirty, 2, CRC_THIRTY, -1);
  receive(0);
  receive(1);
  CHECK_EQUAL(policy_bytecode_version(), 2);
  CHECK(takes(-9, 30));
  type(fifty, 130, CRC_FIFTY, -1); /* numbers go round: that is older */
  CHECK_EQUAL(policy_bytecode_version(), 2);
  type(fifty, 129, CRC_FIFTY, -1);
  CHECK_EQUAL(policy_bytecode_version(), 129);
  CHECK(policy_bytecode_line("policy code revert"));
  CHECK(takes(-9, 30));
  type(fifty, 129, CRC_FIFTY, -1); /* as others tell of it: it was put aside */
  CHECK(takes(-9, 30));
}
/*---------------------------------------------------------------------------*/
static void
what_is_damaged_or_refused_does_not_spread(void)
{
  uint8_t bad[sizeof(fifty)];

  node(4);
  type(fifty, 1, CRC_FIFTY, -1);
  type(thirty, 2, CRC_FIFTY, -1);
  CHECK_EQUAL(policy_bytecode_counters.code_damaged, 1);
  CHECK(takes(-9, 50));
  type(thirty, 2, CRC_THIRTY, 0);
  CHECK(takes(-9, 50)); /* half of it */
  memcpy(bad, thirty, sizeof(bad));
  bad[28] = I(WITH);
  type(bad, 3, 0xea1e, -1);
  CHECK_EQUAL(policy_bytecode_counters.code_refused, 1);
  CHECK_EQUAL(policy_bytecode_counters.verdict, POLICY_BYTECODE_BAD_END);
  type(bad, 3, 0xea1e, -1);
  CHECK_EQUAL(policy_bytecode_counters.code_refused, 1); /* it is known */
  CHECK_EQUAL(policy_bytecode_version(), 1);
  CHECK(takes(-9, 50));
}
/*---------------------------------------------------------------------------*/
static void
lines_that_are_none(void)
{
  static const char *const lines[] = {
    "", "policy", "policy code", "policy code 0", "policy code 0x", "policy code 01AB",
    "policy code 000000000000000000000000000000000000000000000000000000000000000000",
    "policy code revert now", "policy load 1", "policy code revert" /* there is none */
  };
  unsigned i;

  node(4);
  for(i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    CHECK(!policy_bytecode_line(lines[i]));
  }
  CHECK_EQUAL(policy_bytecode_counters.code_malformed, 0);
  CHECK(policy_bytecode_line("policy code 0100"));
  CHECK(policy_bytecode_line("policy code 01000000000001"));   /* length 0 */
  CHECK(policy_bytecode_line("policy code 00000100000001"));   /* version 0 */
  CHECK(policy_bytecode_line("policy code 01010100000001"));   /* no such part */
  CHECK(policy_bytecode_line("policy code 0100010000000102")); /* longer than its length */
  CHECK(policy_bytecode_line("policy code 01000200000001"));   /* shorter */
  CHECK(policy_bytecode_line("policy code 0100ffff000001"));   /* larger than a place */
  CHECK(policy_bytecode_line("policy code 01ff01000000ff"));
  CHECK_EQUAL(policy_bytecode_counters.code_malformed, 8);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_program_goes_to_all_motes),
    T(what_is_missing_is_asked_for),
    T(one_that_lacks_the_same_parts_asks_for_all),
    T(a_newer_one_takes_its_place_and_an_older_one_does_not),
    T(what_is_damaged_or_refused_does_not_spread),
    T(lines_that_are_none),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
