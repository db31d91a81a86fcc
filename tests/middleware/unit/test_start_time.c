/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "host.h"
#include "start-time.h"

static struct start_time start;

static struct start_time_frame
frame(uint8_t number, uint8_t hops, uint32_t remaining, uint32_t previous)
{
  return (struct start_time_frame){ number, hops, remaining, previous };
}

#define HEARD(from, now, ...) \
  start_time_heard(&start, &(struct start_time_frame){ __VA_ARGS__ }, from, now)
/*---------------------------------------------------------------------------*/
static void
one_frame_gives_an_estimate(void)
{
  CHECK(HEARD(9, 1030, 1, 1, 5000, START_TIME_UNKNOWN));
  CHECK(start.known && !start.exact);
  CHECK_EQUAL(start.at, 6030);
  /* A second estimate doesn't replace the first. */
  CHECK(!HEARD(9, 1510, 3, 1, 4500, START_TIME_UNKNOWN));
  CHECK_EQUAL(start.at, 6030);
}
/*---------------------------------------------------------------------------*/
/* Frame 1 was handed over at 1000, held for 30, received at 1030. */
static void
a_pair_is_exact(void)
{
  HEARD(9, 1030, 1, 1, 5000, START_TIME_UNKNOWN);
  CHECK(HEARD(9, 1270, 2, 1, 4750, 4970));
  CHECK(start.exact);
  CHECK_EQUAL(start.at, 6000);
  CHECK(!HEARD(9, 1520, 3, 1, 4490, 4731));
  CHECK_EQUAL(start.at, 6000);
}
/*---------------------------------------------------------------------------*/
static void
a_lost_frame_breaks_the_pair(void)
{
  HEARD(9, 1030, 1, 1, 5000, START_TIME_UNKNOWN);
  CHECK(!HEARD(9, 1520, 3, 1, 4500, 4750));
  CHECK(!start.exact);
  CHECK(HEARD(9, 1760, 4, 1, 4250, 4480));
  CHECK(start.exact);
  CHECK_EQUAL(start.at, 6000);
}
/*---------------------------------------------------------------------------*/
static void
two_senders_do_not_mix(void)
{
  HEARD(9, 1030, 1, 1, 5000, START_TIME_UNKNOWN);
  HEARD(3, 1060, 1, 2, 4980, START_TIME_UNKNOWN);
  CHECK(!HEARD(7, 1065, 2, 2, 4980, 4900)); /* a third is no pair of theirs */
  CHECK(HEARD(9, 1270, 2, 1, 4750, 4970));
  CHECK(start.exact);
  CHECK_EQUAL(start.at, 6000);
}
/*---------------------------------------------------------------------------*/
static void
fewer_hops_are_better_when_both_are_exact(void)
{
  HEARD(3, 1000, 1, 2, 5000, START_TIME_UNKNOWN);
  HEARD(3, 1250, 2, 2, 4750, 5001);
  CHECK_EQUAL(start.at, 6001);
  HEARD(9, 1300, 4, 1, 4700, START_TIME_UNKNOWN);
  CHECK_EQUAL(start.at, 6001);
  CHECK(HEARD(9, 1550, 5, 1, 4440, 4700));
  CHECK_EQUAL(start.at, 6000);
  /* An estimate over more hops is no better. */
  HEARD(3, 1600, 3, 2, 4000, START_TIME_UNKNOWN);
  CHECK(!HEARD(3, 1850, 4, 2, 4000, 4000));
  CHECK_EQUAL(start.at, 6000);
}
/*---------------------------------------------------------------------------*/
static void
numbers_and_clocks_wrap(void)
{
  HEARD(9, 0xffffff00u, 255, 1, 5000, START_TIME_UNKNOWN);
  CHECK(HEARD(9, 0x10u, 0, 1, 4750, 4990));
  CHECK(start.exact);
  CHECK_EQUAL(start.at, (uint32_t)(0xffffff00u + 4990));
}
/*---------------------------------------------------------------------------*/
/* A chain of relays, each with its own clock and random holding times: every
   one of them ends up exact, whatever the MAC did. */
static void
a_chain_of_relays_is_exact(void)
{
  enum { RELAYS = 12, REPEATS = 8 };
  struct start_time relays[RELAYS];
  uint32_t clock[RELAYS], out_at[RELAYS] = { 0 };
  bool out[RELAYS] = { 0 };
  uint32_t random = 1, start_at = 1000000;

  memset(relays, 0, sizeof(relays));
  for(int i = 0; i < RELAYS; i++) {
    clock[i] = i * 0x31234567u; /* this relay's clock at true time 0 */
  }
  for(int k = 1; k <= REPEATS; k++) {
    uint32_t now = 100000 + 1000 * k;
    uint32_t previous_out = 0;
    bool have_previous = false;
    for(int i = 0; i < RELAYS; i++) {
      /* The sender before relay i hands over at `now`, the MAC holds. */
      uint32_t sender_at = i == 0 ? start_at
        : relays[i - 1].at - clock[i - 1];
      bool exact = i == 0 || relays[i - 1].exact;
      uint32_t handed = now, hold;
      struct start_time_frame f;
      random = random * 1664525 + 1013904223;
      hold = random >> 16 & 0x3f;
      have_previous = out[i];
      previous_out = out_at[i];
      f = frame(k, i + 1, sender_at - handed,
                have_previous && exact ? sender_at - previous_out
                : START_TIME_UNKNOWN);
      now = handed + hold;
      out[i] = true;
      out_at[i] = now;
      start_time_heard(&relays[i], &f, i + 100, clock[i] + now);
    }
  }
  for(int i = 0; i < RELAYS; i++) {
    CHECK(relays[i].exact);
    CHECK_EQUAL(relays[i].at, (uint32_t)(clock[i] + start_at));
  }
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(one_frame_gives_an_estimate), T(a_pair_is_exact),
    T(a_lost_frame_breaks_the_pair), T(two_senders_do_not_mix),
    T(fewer_hops_are_better_when_both_are_exact), T(numbers_and_clocks_wrap),
    T(a_chain_of_relays_is_exact),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
