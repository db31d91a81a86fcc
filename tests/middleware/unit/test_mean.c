/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"
#include "mean.h"
/*---------------------------------------------------------------------------*/
static void
weights(void)
{
  CHECK_EQUAL(merge_mean_of(10, 1, 20, 1), 15);
  CHECK_EQUAL(merge_mean_of(10, 3, 20, 1), 13);  /* 12.5 */
  CHECK_EQUAL(merge_mean_of(10, 1, 20, 9), 19);
  CHECK_EQUAL(merge_mean_of(100, 255, 0, 255), 50);
}
/*---------------------------------------------------------------------------*/
static void
halves_go_away_from_zero(void)
{
  CHECK_EQUAL(merge_mean_of(1, 1, 2, 1), 2);
  CHECK_EQUAL(merge_mean_of(-1, 1, -2, 1), -2);
  CHECK_EQUAL(merge_mean_of(0, 1, 1, 1), 1);
  CHECK_EQUAL(merge_mean_of(0, 1, -1, 1), -1);
  CHECK_EQUAL(merge_mean_of(0, 2, 1, 1), 0);   /* 1/3 */
  CHECK_EQUAL(merge_mean_of(0, 1, -1, 2), -1); /* -2/3 */
}
/*---------------------------------------------------------------------------*/
static void
extremes(void)
{
  CHECK_EQUAL(merge_mean_of(INT16_MAX, 255, INT16_MAX, 255), INT16_MAX);
  CHECK_EQUAL(merge_mean_of(INT16_MIN, 255, INT16_MIN, 255), INT16_MIN);
  CHECK_EQUAL(merge_mean_of(INT16_MIN, 1, INT16_MAX, 1), -1); /* -0.5 */
  CHECK_EQUAL(merge_mean_of(INT16_MIN, 255, INT16_MAX, 1), -32512);
}
/*---------------------------------------------------------------------------*/
/* Nearest whole number, checked without dividing: 2|sum - mean n| <= n. */
static void
nearest(void)
{
  static const int16_t values[] = {
    INT16_MIN, -32767, -1000, -7, -1, 0, 1, 2, 9, 12345, 32766, INT16_MAX
  };
  static const uint8_t counts[] = { 1, 2, 3, 7, 9, 26, 255 };

  for(unsigned a = 0; a < 12; a++) {
    for(unsigned b = 0; b < 12; b++) {
      for(unsigned i = 0; i < 7; i++) {
        for(unsigned j = 0; j < 7; j++) {
          long long n = counts[i] + counts[j];
          long long sum = (long long)values[a] * counts[i]
            + (long long)values[b] * counts[j];
          long long mean = merge_mean_of(values[a], counts[i], values[b], counts[j]);
          long long off = 2 * llabs(sum - mean * n);
          CHECK(off <= n);
          CHECK(off < n || llabs(mean * n) > llabs(sum));
        }
      }
    }
  }
}
/*---------------------------------------------------------------------------*/
/* Events are merged one by one into an aggregate of n; mean.h gives the bound. */
static void
error_of_many_merges(void)
{
  uint32_t random = 1;

  for(int trial = 0; trial < 2000; trial++) {
    long long sum = 0;
    int16_t mean = 0;
    int n = 2 + trial % 25;

    for(int i = 0; i < n; i++) {
      int16_t value;
      random = random * 1664525 + 1013904223;
      value = (int16_t)(random >> 16);
      sum += value;
      mean = i == 0 ? value : merge_mean_of(mean, i, value, 1);
    }
    CHECK(2 * llabs(sum - (long long)mean * n) <= (long long)n * (n - 1));
  }
}
/*---------------------------------------------------------------------------*/
static void
bytes(void)
{
  uint8_t data[MERGE_MEAN_DATA_SIZE];

  merge_mean_put(data, -2);
  CHECK(data[0] == 0xfe && data[1] == 0xff);
  for(int32_t value = INT16_MIN; value <= INT16_MAX; value++) {
    merge_mean_put(data, value);
    CHECK_EQUAL(merge_mean_get(data), value);
  }
}
/*---------------------------------------------------------------------------*/
static void
other_data_is_not_merged(void)
{
  struct pubsub_contributor one = { 1, 1 }, two = { 2, 1 };
  struct merge_attribute state = { .stored = host_make(1, 10, 1, &one) };
  struct pubsub_event arrived = host_make(1, 20, 1, &two);

  arrived.length = 3;
  CHECK(!merge_mean_function.merge(&state, &arrived));
  CHECK_EQUAL(merge_mean_get(state.stored.data), 10);
  arrived.length = 2;
  CHECK(merge_mean_function.merge(&state, &arrived));
  CHECK_EQUAL(merge_mean_get(state.stored.data), 15);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
  static const struct test tests[] = {
    { "weights", weights },
    { "halves_go_away_from_zero", halves_go_away_from_zero },
    { "extremes", extremes },
    { "nearest", nearest },
    { "error_of_many_merges", error_of_many_merges },
    { "bytes", bytes },
    { "other_data_is_not_merged", other_data_is_not_merged },
    { 0 }
  };

  return host_main(tests, argc, argv);
}
