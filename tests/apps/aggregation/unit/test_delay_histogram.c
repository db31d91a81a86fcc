/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "delay-histogram.h"
#include "host.h"
/*---------------------------------------------------------------------------*/
static unsigned
bucket_of(uint32_t ms)
{
  struct delay_histogram histogram;
  unsigned bucket = 0;

  memset(&histogram, 0, sizeof(histogram));
  delay_histogram_add(&histogram, ms);
  while(histogram.count[bucket] == 0) {
    bucket++;
  }
  return bucket;
}
/*---------------------------------------------------------------------------*/
static void
every_delay_is_in_its_bucket(void)
{
  for(uint32_t ms = 0; ms < 1UL << 20; ms += ms < 5000 ? 1 : 97) {
    unsigned bucket = bucket_of(ms);
    CHECK(ms <= delay_histogram_upper(bucket));
    CHECK(bucket == 0 || ms > delay_histogram_upper(bucket - 1));
  }
}
/*---------------------------------------------------------------------------*/
static void
buckets_are_narrow(void)
{
  for(unsigned bucket = 8; bucket < DELAY_BUCKETS; bucket++) {
    uint32_t lower = delay_histogram_upper(bucket - 1) + 1;
    CHECK((delay_histogram_upper(bucket) + 1 - lower) * 8 <= lower);
  }
}
/*---------------------------------------------------------------------------*/
static void
the_last_takes_all_longer_ones(void)
{
  CHECK_EQUAL(delay_histogram_upper(DELAY_BUCKETS - 1), (1UL << 20) - 1);
  CHECK_EQUAL(bucket_of((1UL << 20) - 1), DELAY_BUCKETS - 1);
  CHECK_EQUAL(bucket_of(1UL << 20), DELAY_BUCKETS - 1);
  CHECK_EQUAL(bucket_of(UINT32_MAX), DELAY_BUCKETS - 1);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(every_delay_is_in_its_bucket), T(buckets_are_narrow),
    T(the_last_takes_all_longer_ones),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
