/* SPDX-License-Identifier: Apache-2.0 */
/* The check accepts what the merge functions compute from readings. */
#include <string.h>
#include "host.h"
#include "merge-choice.h"

#define MOST 24
static int16_t readings[MOST];
static uint32_t state = 1;
/*---------------------------------------------------------------------------*/
static struct pubsub_event
individual(uint8_t choice, uint8_t publisher)
{
  struct pubsub_contributor one = { publisher, 1 };
  struct pubsub_event event = host_make(1, 0, 1, &one);

  event.length = merge_choice_put(choice, event.data, readings[publisher - 1]);
  CHECK(event.length <= PUBSUB_MAX_DATA);
  return event;
}
/*---------------------------------------------------------------------------*/
/* Readings 1 to n, merged one by one. */
static struct pubsub_event
merged(uint8_t choice, unsigned n)
{
  struct merge_attribute merging = { .stored = individual(choice, 1) };

  for(unsigned i = 2; i <= n; i++) {
    struct pubsub_event next = individual(choice, i);
    CHECK(merge_choice_function(choice)->merge(&merging, &next));
    merging.stored.contributor[merging.stored.contributors++]
      = next.contributor[0];
  }
  return merging.stored;
}
/*---------------------------------------------------------------------------*/
static void
draw(void)
{
  for(unsigned i = 0; i < MOST; i++) {
    state = state * 1664525 + 1013904223;
    readings[i] = (int16_t)(state >> 16);
  }
}
/*---------------------------------------------------------------------------*/
static void
merged_readings_are_right(void)
{
  for(int trial = 0; trial < 300; trial++) {
    draw();
    for(uint8_t choice = MERGE_CHOICE_MEAN; choice <= MERGE_CHOICE_LAST; choice++) {
      for(unsigned n = 1; n <= MOST; n++) {
        struct pubsub_event event = merged(choice, n);
        CHECK(merge_choice_right(choice, &event, readings));
      }
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
others_are_wrong(void)
{
  draw();
  for(uint8_t choice = MERGE_CHOICE_MEAN; choice <= MERGE_CHOICE_LAST; choice++) {
    struct pubsub_event event = merged(choice, 5);
    event.data[1] ^= 0x10;
    CHECK(!merge_choice_right(choice, &event, readings));
    event.data[1] ^= 0x10;
    CHECK(merge_choice_right(choice, &event, readings));
    event.length++;
    CHECK(!merge_choice_right(choice, &event, readings));
  }
  /* In an individual event nothing is rounded: a value that is off by one is wrong. */
  struct pubsub_event one = individual(MERGE_CHOICE_MEAN, 1);
  one.data[0] ^= 1;
  CHECK(!merge_choice_right(MERGE_CHOICE_MEAN, &one, readings));
}
/*---------------------------------------------------------------------------*/
static void
extremes(void)
{
  for(unsigned i = 0; i < MOST; i++) {
    readings[i] = INT16_MIN;
  }
  for(uint8_t choice = MERGE_CHOICE_MEAN; choice <= MERGE_CHOICE_LAST; choice++) {
    struct pubsub_event event = merged(choice, MOST);
    CHECK(merge_choice_right(choice, &event, readings));
  }
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(merged_readings_are_right), T(others_are_wrong), T(extremes),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
