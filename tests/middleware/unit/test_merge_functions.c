/* SPDX-License-Identifier: Apache-2.0 */
/* Sum, min, max, count, histogram: exact, and the order of merging is nothing. */
#include <string.h>
#include "count.h"
#include "histogram.h"
#include "host.h"
#include "max.h"
#include "min.h"
#include "sum.h"

static const int16_t edges[] = {
  INT16_MIN, -32767, -1000, -1, 0, 1, 2, 12345, 32766, INT16_MAX
};
#define EDGES 10

static uint32_t state = 1;

static uint32_t
drawn(void)
{
  state = state * 1664525 + 1013904223;
  return state ^ state >> 15;
}
/*---------------------------------------------------------------------------*/
static void
sums(void)
{
  uint8_t data[SUM_DATA_SIZE];

  CHECK_EQUAL(sum_of(INT16_MIN, INT16_MIN), -65536);
  CHECK_EQUAL(sum_of(INT32_MAX, 1), INT32_MIN); /* wraps round */
  CHECK_EQUAL(sum_of(sum_of(INT32_MAX, 1), -1), INT32_MAX); /* and back */
  sum_put(data, -2);
  CHECK(data[0] == 0xfe && data[3] == 0xff);
  CHECK_EQUAL(sum_get(data), -2);
  /* 255 of the largest stay far from the limit. */
  CHECK_EQUAL((int32_t)INT16_MIN * 255, -8355840);
}
/*---------------------------------------------------------------------------*/
static void
smallest_and_largest(void)
{
  uint8_t data[2];

  for(unsigned a = 0; a < EDGES; a++) {
    for(unsigned b = 0; b < EDGES; b++) {
      CHECK_EQUAL(min_of(edges[a], edges[b]), edges[a < b ? a : b]);
      CHECK_EQUAL(max_of(edges[a], edges[b]), edges[a > b ? a : b]);
    }
    min_put(data, edges[a]);
    CHECK_EQUAL(min_get(data), edges[a]);
    max_put(data, edges[a]);
    CHECK_EQUAL(max_get(data), edges[a]);
  }
}
/*---------------------------------------------------------------------------*/
static void
counts_stay_at_the_most(void)
{
  uint8_t data[COUNT_DATA_SIZE];

  CHECK_EQUAL(count_of(1, 2), 3);
  CHECK_EQUAL(count_of(65534, 1), 65535);
  CHECK_EQUAL(count_of(65535, 1), 65535);
  CHECK_EQUAL(count_of(40000, 40000), 65535);
  count_put(data, 0x1234);
  CHECK(data[0] == 0x34 && count_get(data) == 0x1234);
}
/*---------------------------------------------------------------------------*/
static void
bins_have_the_same_width(void)
{
  unsigned in[HISTOGRAM_BINS] = { 0 }, before = 0;

  for(int32_t value = INT16_MIN; value <= INT16_MAX; value++) {
    unsigned bin = histogram_bin(value);
    CHECK(bin == before || bin == before + 1);
    before = bin;
    in[bin]++;
  }
  for(unsigned i = 0; i < HISTOGRAM_BINS; i++) {
    CHECK_EQUAL(in[i], 65536 / HISTOGRAM_BINS);
  }
}
/*---------------------------------------------------------------------------*/
static void
bins_stay_at_255(void)
{
  uint8_t bins[HISTOGRAM_BINS], one[HISTOGRAM_BINS];

  histogram_put(bins, -32768);
  CHECK_EQUAL(bins[0], 1);
  histogram_put(one, -32768);
  for(int i = 0; i < 300; i++) {
    histogram_add(bins, one);
  }
  CHECK_EQUAL(bins[0], 255);
  for(unsigned i = 1; i < HISTOGRAM_BINS; i++) {
    CHECK_EQUAL(bins[i], 0);
  }
}
/*---------------------------------------------------------------------------*/
/* a + b = b + a and (a + b) + c = a + (b + c), limits and all. The mean is not
   here: it rounds at every merge, by the bound in mean.h. */
static void
order_is_nothing(void)
{
  for(int trial = 0; trial < 20000; trial++) {
    int32_t a = drawn(), b = drawn(), c = drawn();
    uint8_t x[3][HISTOGRAM_BINS], l[HISTOGRAM_BINS], r[HISTOGRAM_BINS];

    CHECK_EQUAL(sum_of(a, b), sum_of(b, a));
    CHECK_EQUAL(sum_of(sum_of(a, b), c), sum_of(a, sum_of(b, c)));
    CHECK_EQUAL(min_of(min_of(a, b), c), min_of(a, min_of(c, b)));
    CHECK_EQUAL(max_of(max_of(a, b), c), max_of(a, max_of(c, b)));
    CHECK_EQUAL(count_of(a, b), count_of(b, a));
    CHECK_EQUAL(count_of(count_of(a, b), c), count_of(a, count_of(b, c)));
    for(unsigned i = 0; i < sizeof(x); i++) {
      (&x[0][0])[i] = drawn();
    }
    memcpy(l, x[0], sizeof(l));
    histogram_add(l, x[1]);
    histogram_add(l, x[2]);
    memcpy(r, x[2], sizeof(r));
    histogram_add(r, x[1]);
    histogram_add(r, x[0]);
    CHECK(memcmp(l, r, sizeof(l)) == 0);
  }
}
/*---------------------------------------------------------------------------*/
static const struct {
  const struct merge_function *function;
  uint8_t size;
} functions[] = {
  { &sum_merge_function, SUM_DATA_SIZE },
  { &min_merge_function, MIN_DATA_SIZE },
  { &max_merge_function, MAX_DATA_SIZE },
  { &count_merge_function, COUNT_DATA_SIZE },
  { &histogram_merge_function, HISTOGRAM_DATA_SIZE }
};

static void
other_data_is_not_merged(void)
{
  struct pubsub_contributor one = { 1, 1 }, two = { 2, 1 };

  for(unsigned i = 0; i < 5; i++) {
    struct merge_attribute merging = { .stored = host_make(1, 10, 1, &one) };
    struct pubsub_event arrived = host_make(1, 20, 1, &two);
    struct pubsub_event before;

    for(unsigned length = 0; length <= PUBSUB_MAX_DATA; length++) {
      merging.stored.length = functions[i].size;
      arrived.length = length;
      before = merging.stored;
      if(length != functions[i].size) {
        CHECK(!functions[i].function->merge(&merging, &arrived));
        CHECK(memcmp(&before, &merging.stored, sizeof(before)) == 0);
        merging.stored.length = length;
        arrived.length = functions[i].size;
        CHECK(!functions[i].function->merge(&merging, &arrived));
      }
    }
    merging.stored.length = arrived.length = functions[i].size;
    CHECK(functions[i].function->merge(&merging, &arrived));
  }
}
/*---------------------------------------------------------------------------*/
static void
what_merging_does_to_the_data(void)
{
  struct pubsub_contributor one = { 1, 1 }, two = { 2, 1 };
  struct merge_attribute merging = { .stored = host_make(1, 10, 1, &one) };
  struct pubsub_event arrived = host_make(1, -20, 1, &two);
  uint8_t bins[HISTOGRAM_BINS] = { 0 };

  CHECK(min_merge_function.merge(&merging, &arrived));
  CHECK_EQUAL(min_get(merging.stored.data), -20);
  merging.stored = host_make(1, 10, 1, &one);
  CHECK(max_merge_function.merge(&merging, &arrived));
  CHECK_EQUAL(max_get(merging.stored.data), 10);
  count_put(merging.stored.data, 3);
  count_put(arrived.data, 4);
  CHECK(count_merge_function.merge(&merging, &arrived));
  CHECK_EQUAL(count_get(merging.stored.data), 7);
  merging.stored.length = arrived.length = SUM_DATA_SIZE;
  sum_put(merging.stored.data, 70000);
  sum_put(arrived.data, -1);
  CHECK(sum_merge_function.merge(&merging, &arrived));
  CHECK_EQUAL(sum_get(merging.stored.data), 69999);
  merging.stored.length = arrived.length = HISTOGRAM_DATA_SIZE;
  histogram_put(merging.stored.data, 5);
  histogram_put(arrived.data, -5);
  CHECK(histogram_merge_function.merge(&merging, &arrived));
  bins[histogram_bin(5)]++;
  bins[histogram_bin(-5)]++;
  CHECK(memcmp(bins, merging.stored.data, sizeof(bins)) == 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(sums), T(smallest_and_largest), T(counts_stay_at_the_most),
    T(bins_have_the_same_width), T(bins_stay_at_255), T(order_is_nothing),
    T(other_data_is_not_merged), T(what_merging_does_to_the_data),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
