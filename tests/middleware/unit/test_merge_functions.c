/* SPDX-License-Identifier: Apache-2.0 */
/* Sum, min, max, count and histogram are exact, whatever the order of merging. */
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
  uint8_t data[MERGE_SUM_DATA_SIZE];

  CHECK_EQUAL(merge_sum_of(INT16_MIN, INT16_MIN), -65536);
  CHECK_EQUAL(merge_sum_of(INT32_MAX, 1), INT32_MIN); /* wraps round */
  CHECK_EQUAL(merge_sum_of(merge_sum_of(INT32_MAX, 1), -1), INT32_MAX); /* and back */
  merge_sum_put(data, -2);
  CHECK(data[0] == 0xfe && data[3] == 0xff);
  CHECK_EQUAL(merge_sum_get(data), -2);
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
      CHECK_EQUAL(merge_min_of(edges[a], edges[b]), edges[a < b ? a : b]);
      CHECK_EQUAL(merge_max_of(edges[a], edges[b]), edges[a > b ? a : b]);
    }
    merge_min_put(data, edges[a]);
    CHECK_EQUAL(merge_min_get(data), edges[a]);
    merge_max_put(data, edges[a]);
    CHECK_EQUAL(merge_max_get(data), edges[a]);
  }
}
/*---------------------------------------------------------------------------*/
static void
counts_stay_at_the_most(void)
{
  uint8_t data[MERGE_COUNT_DATA_SIZE];

  CHECK_EQUAL(merge_count_of(1, 2), 3);
  CHECK_EQUAL(merge_count_of(65534, 1), 65535);
  CHECK_EQUAL(merge_count_of(65535, 1), 65535);
  CHECK_EQUAL(merge_count_of(40000, 40000), 65535);
  merge_count_put(data, 0x1234);
  CHECK(data[0] == 0x34 && merge_count_get(data) == 0x1234);
}
/*---------------------------------------------------------------------------*/
static void
bins_have_the_same_width(void)
{
  unsigned in[MERGE_HISTOGRAM_BINS] = { 0 }, before = 0;

  for(int32_t value = INT16_MIN; value <= INT16_MAX; value++) {
    unsigned bin = merge_histogram_bin(value);
    CHECK(bin == before || bin == before + 1);
    before = bin;
    in[bin]++;
  }
  for(unsigned i = 0; i < MERGE_HISTOGRAM_BINS; i++) {
    CHECK_EQUAL(in[i], 65536 / MERGE_HISTOGRAM_BINS);
  }
}
/*---------------------------------------------------------------------------*/
static void
bins_stay_at_255(void)
{
  uint8_t bins[MERGE_HISTOGRAM_BINS], one[MERGE_HISTOGRAM_BINS];

  merge_histogram_put(bins, -32768);
  CHECK_EQUAL(bins[0], 1);
  merge_histogram_put(one, -32768);
  for(int i = 0; i < 300; i++) {
    merge_histogram_add(bins, one);
  }
  CHECK_EQUAL(bins[0], 255);
  for(unsigned i = 1; i < MERGE_HISTOGRAM_BINS; i++) {
    CHECK_EQUAL(bins[i], 0);
  }
}
/*---------------------------------------------------------------------------*/
/* a + b = b + a and (a + b) + c = a + (b + c), limits included. The mean is left
   out: it rounds at every merge, by the bound in mean.h. */
static void
order_is_nothing(void)
{
  for(int trial = 0; trial < 20000; trial++) {
    int32_t a = drawn(), b = drawn(), c = drawn();
    uint8_t x[3][MERGE_HISTOGRAM_BINS], l[MERGE_HISTOGRAM_BINS], r[MERGE_HISTOGRAM_BINS];

    CHECK_EQUAL(merge_sum_of(a, b), merge_sum_of(b, a));
    CHECK_EQUAL(merge_sum_of(merge_sum_of(a, b), c), merge_sum_of(a, merge_sum_of(b, c)));
    CHECK_EQUAL(merge_min_of(merge_min_of(a, b), c), merge_min_of(a, merge_min_of(c, b)));
    CHECK_EQUAL(merge_max_of(merge_max_of(a, b), c), merge_max_of(a, merge_max_of(c, b)));
    CHECK_EQUAL(merge_count_of(a, b), merge_count_of(b, a));
    CHECK_EQUAL(merge_count_of(merge_count_of(a, b), c), merge_count_of(a, merge_count_of(b, c)));
    for(unsigned i = 0; i < sizeof(x); i++) {
      (&x[0][0])[i] = drawn();
    }
    memcpy(l, x[0], sizeof(l));
    merge_histogram_add(l, x[1]);
    merge_histogram_add(l, x[2]);
    memcpy(r, x[2], sizeof(r));
    merge_histogram_add(r, x[1]);
    merge_histogram_add(r, x[0]);
    CHECK(memcmp(l, r, sizeof(l)) == 0);
  }
}
/*---------------------------------------------------------------------------*/
static const struct {
  const struct merge_function *function;
  uint8_t size;
} functions[] = {
  { &merge_sum_function, MERGE_SUM_DATA_SIZE },
  { &merge_min_function, MERGE_MIN_DATA_SIZE },
  { &merge_max_function, MERGE_MAX_DATA_SIZE },
  { &merge_count_function, MERGE_COUNT_DATA_SIZE },
  { &merge_histogram_function, MERGE_HISTOGRAM_DATA_SIZE }
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
  uint8_t bins[MERGE_HISTOGRAM_BINS] = { 0 };

  CHECK(merge_min_function.merge(&merging, &arrived));
  CHECK_EQUAL(merge_min_get(merging.stored.data), -20);
  merging.stored = host_make(1, 10, 1, &one);
  CHECK(merge_max_function.merge(&merging, &arrived));
  CHECK_EQUAL(merge_max_get(merging.stored.data), 10);
  merge_count_put(merging.stored.data, 3);
  merge_count_put(arrived.data, 4);
  CHECK(merge_count_function.merge(&merging, &arrived));
  CHECK_EQUAL(merge_count_get(merging.stored.data), 7);
  merging.stored.length = arrived.length = MERGE_SUM_DATA_SIZE;
  merge_sum_put(merging.stored.data, 70000);
  merge_sum_put(arrived.data, -1);
  CHECK(merge_sum_function.merge(&merging, &arrived));
  CHECK_EQUAL(merge_sum_get(merging.stored.data), 69999);
  merging.stored.length = arrived.length = MERGE_HISTOGRAM_DATA_SIZE;
  merge_histogram_put(merging.stored.data, 5);
  merge_histogram_put(arrived.data, -5);
  CHECK(merge_histogram_function.merge(&merging, &arrived));
  bins[merge_histogram_bin(5)]++;
  bins[merge_histogram_bin(-5)]++;
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
