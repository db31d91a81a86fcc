/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "host.h"
#include "publication-schedule.h"

static const struct publication_parameters high = {
  .rate = RATE_HIGH, .seed = 1, .interval_min = 250, .interval_max = 500,
  .jitter = 20, .delay_step = 0, .duration = 900000
};
static const struct publication_parameters low = {
  .rate = RATE_LOW, .seed = 1, .interval_min = 60000, .interval_max = 60000,
  .jitter = 20, .delay_step = 0, .duration = 1800000
};
/*---------------------------------------------------------------------------*/
static unsigned
rounds(const struct publication_parameters *p, uint8_t publisher)
{
  struct publication at;

  publication_begin(&at, publisher);
  while(publication_next(&at, p));
  return at.round;
}
/*---------------------------------------------------------------------------*/
static void
as_many_as_the_paper(void)
{
  for(uint32_t seed = 1; seed <= 200; seed++) {
    struct publication_parameters p = high;
    p.seed = seed;
    /* The mean is 2400; four standard deviations are 38. */
    CHECK(rounds(&p, 1) > 2360 && rounds(&p, 1) < 2440);
    p = low;
    p.seed = seed;
    CHECK_EQUAL(rounds(&p, 1), 30);
  }
}
/*---------------------------------------------------------------------------*/
static void
rounds_are_common_to_all_publishers(void)
{
  struct publication a, b;

  publication_begin(&a, 1);
  publication_begin(&b, 200);
  while(publication_next(&a, &high)) {
    CHECK(publication_next(&b, &high));
    CHECK_EQUAL(a.round_time, b.round_time);
    CHECK(a.time >= a.round_time && a.time < a.round_time + 20);
    CHECK(b.time >= b.round_time && b.time < b.round_time + 20);
  }
  CHECK(!publication_next(&b, &high));
}
/*---------------------------------------------------------------------------*/
static void
intervals_are_uniform(void)
{
  unsigned count[251] = { 0 }, drawn = 0;
  double chi = 0;

  for(uint32_t seed = 1; seed <= 20; seed++) {
    struct publication_parameters p = high;
    struct publication at;
    uint32_t before = 0;
    p.seed = seed;
    publication_begin(&at, 3);
    publication_next(&at, &p);
    CHECK_EQUAL(at.round_time, 0);
    while(publication_next(&at, &p)) {
      uint32_t interval = at.round_time - before;
      CHECK(interval >= 250 && interval <= 500);
      count[interval - 250]++;
      drawn++;
      before = at.round_time;
    }
  }
  for(int i = 0; i < 251; i++) {
    double expected = drawn / 251.0;
    chi += (count[i] - expected) * (count[i] - expected) / expected;
  }
  /* With 250 degrees of freedom, the mean is 250 and the standard deviation 22. */
  CHECK(chi > 250 - 4 * 22.4 && chi < 250 + 4 * 22.4);
}
/*---------------------------------------------------------------------------*/
static void
jitters_are_uniform_and_apart(void)
{
  unsigned count[20] = { 0 }, both[20][20] = { { 0 } }, drawn = 0;
  struct publication a, b;
  double chi = 0, chi_both = 0;

  publication_begin(&a, 1);
  publication_begin(&b, 2);
  while(publication_next(&a, &high) && publication_next(&b, &high)) {
    count[a.time - a.round_time]++;
    both[a.time - a.round_time][b.time - b.round_time]++;
    drawn++;
  }
  for(int i = 0; i < 20; i++) {
    double expected = drawn / 20.0;
    chi += (count[i] - expected) * (count[i] - expected) / expected;
    for(int j = 0; j < 20; j++) {
      double cell = drawn / 400.0;
      chi_both += (both[i][j] - cell) * (both[i][j] - cell) / cell;
    }
  }
  CHECK(chi < 19 + 4 * 6.2);         /* 19 degrees of freedom */
  CHECK(chi_both < 399 + 4 * 28.3);  /* with 399 the two are independent */
}
/*---------------------------------------------------------------------------*/
static void
delay_adds_index_times_step(void)
{
  struct publication_parameters d = low;
  struct publication plain, delayed;

  d.delay_step = 600;
  for(uint8_t publisher = 1; publisher <= 10; publisher++) {
    publication_begin(&plain, publisher);
    publication_begin(&delayed, publisher);
    while(publication_next(&plain, &low)) {
      CHECK(publication_next(&delayed, &d));
      CHECK_EQUAL(delayed.time, plain.time + 600 * publisher);
    }
    CHECK(!publication_next(&delayed, &d));
  }
}
/*---------------------------------------------------------------------------*/
static void
seeds_and_rates_differ(void)
{
  struct publication_parameters other = high;
  struct publication a, b;
  unsigned same = 0;

  other.seed = 2;
  publication_begin(&a, 1);
  publication_begin(&b, 1);
  while(publication_next(&a, &high) && publication_next(&b, &other)
        && a.round < 200) {
    same += a.time == b.time;
  }
  CHECK(same < 10);
  other.seed = 1;
  other.rate = RATE_LOW; /* the same intervals, drawn for another rate */
  same = 0;
  publication_begin(&a, 1);
  publication_begin(&b, 1);
  while(publication_next(&a, &high) && publication_next(&b, &other)
        && a.round < 200) {
    same += a.round_time == b.round_time;
  }
  CHECK(same < 10);
}
/*---------------------------------------------------------------------------*/
static void
any_round_can_be_reached(void)
{
  static uint32_t times[3000];
  struct publication at;
  unsigned last;
  uint32_t random = 7;

  publication_begin(&at, 4);
  while(publication_next(&at, &high)) {
    times[at.round] = at.time;
  }
  last = at.round;
  for(int i = 0; i < 300; i++) {
    uint16_t round;
    random = random * 1664525 + 1013904223;
    round = 1 + (random >> 8) % last;
    CHECK(publication_seek(&at, round, &high));
    CHECK_EQUAL(at.round, round);
    CHECK_EQUAL(at.time, times[round]);
  }
  CHECK(!publication_seek(&at, last + 1, &high));
  CHECK(!publication_seek(&at, 65535, &high));
  CHECK(!publication_seek(&at, 0, &high));
  CHECK(publication_seek(&at, 1, &high));
}
/*---------------------------------------------------------------------------*/
static void
a_long_jitter_keeps_the_order(void)
{
  struct publication_parameters p = high;
  struct publication at;
  uint32_t before = 0;

  p.jitter = 5000;
  publication_begin(&at, 1);
  while(publication_next(&at, &p)) {
    CHECK(at.time >= before);
    before = at.time;
  }
}
/*---------------------------------------------------------------------------*/
static void
no_jitter_and_no_rounds(void)
{
  struct publication_parameters p = high;
  struct publication at;

  p.jitter = 0;
  publication_begin(&at, 9);
  while(publication_next(&at, &p)) {
    CHECK_EQUAL(at.time, at.round_time);
  }
  p.duration = 0;
  CHECK_EQUAL(rounds(&p, 1), 0);
  /* Rounds are counted in 16 bits, so the schedule ends there. */
  p.duration = UINT32_MAX;
  p.interval_min = p.interval_max = 1;
  CHECK_EQUAL(rounds(&p, 1), 65535);
}
/*---------------------------------------------------------------------------*/
static void
values_are_spread(void)
{
  long long sum = 0;
  int negative = 0, n = 0;
  struct publication at;

  publication_begin(&at, 1);
  while(publication_next(&at, &high)) {
    int16_t value = publication_value(&at, &high);
    sum += value;
    negative += value < 0;
    n++;
  }
  CHECK(llabs(sum / n) < 4 * 18918 / 48);
  CHECK(negative > n * 2 / 5 && negative < n * 3 / 5);
}
/*---------------------------------------------------------------------------*/
static void
the_last_can_be_the_first(void)
{
  struct publication_parameters p = low;
  struct publication near, far;

  p.delay_step = 100;
  p.jitter = 0;
  for(uint8_t publisher = 1; publisher <= 5; publisher++) {
    p.last_first = 0;
    publication_begin(&near, publisher);
    CHECK(publication_seek(&near, 2, &p));
    p.last_first = 5;
    publication_begin(&far, publisher);
    CHECK(publication_seek(&far, 2, &p));
    CHECK_EQUAL(near.time, 60000 + 100 * publisher);
    CHECK_EQUAL(far.time, 60000 + 100 * (6 - publisher));
  }
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(as_many_as_the_paper), T(rounds_are_common_to_all_publishers),
    T(intervals_are_uniform), T(jitters_are_uniform_and_apart),
    T(delay_adds_index_times_step), T(seeds_and_rates_differ),
    T(any_round_can_be_reached), T(a_long_jitter_keeps_the_order),
    T(no_jitter_and_no_rounds), T(values_are_spread),
    T(the_last_can_be_the_first),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
