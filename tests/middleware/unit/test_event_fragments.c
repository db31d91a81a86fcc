/* SPDX-License-Identifier: Apache-2.0 */
/* Events larger than a frame: fragments in any order, lost, repeated and damaged. */
#include <string.h>
#include "event-fragments.h"
#include "push-consumer.h"
#include "../host/check.h"
#include "../host/host.h"

#define MOST_PUSHED 64

static struct pubsub_event pushed[MOST_PUSHED];
static unsigned pushes, wholes;
static uint8_t came[EVENT_FRAGMENTS_SIZE], from;
static uint16_t came_length;
static struct event_fragments_sender sender;
static uint8_t data[EVENT_FRAGMENTS_SIZE];
/*---------------------------------------------------------------------------*/
bool
push_consumer_push(pubsub_subject_t event, const uint8_t *bytes, uint8_t length)
{
  struct pubsub_event *one = &pushed[pushes++];

  memset(one, 0, sizeof(*one));
  one->subject = event;
  one->contributors = 1;
  one->contributor[0].publisher = 3;
  one->length = length;
  memcpy(one->data, bytes, length);
  return true;
}
/*---------------------------------------------------------------------------*/
static void
whole(pubsub_subject_t event, uint8_t publisher, const uint8_t *bytes, uint16_t length)
{
  wholes++;
  from = publisher;
  came_length = length;
  memcpy(came, bytes, length);
}
/*---------------------------------------------------------------------------*/
static void
push(uint16_t length, uint8_t first)
{
  unsigned i;

  for(i = 0; i < length; i++) {
    data[i] = first + 7 * i;
  }
  CHECK(event_fragments_push(&sender, 1, data, length, 5));
  host_pass(5 * 300);
}
/*---------------------------------------------------------------------------*/
static void
begin(void)
{
  pushes = wholes = 0;
  memset(&sender, 0, sizeof(sender));
  event_fragments_init();
}
/*---------------------------------------------------------------------------*/
static void
take(unsigned place)
{
  event_fragments_take(&pushed[place], whole);
}
/*---------------------------------------------------------------------------*/
static void
every_size_comes_whole(void)
{
  uint16_t length;
  unsigned i;

  for(length = 1; length <= EVENT_FRAGMENTS_SIZE; length++) {
    begin();
    push(length, length);
    CHECK_EQUAL(pushes, (length + EVENT_FRAGMENTS_DATA - 1) / EVENT_FRAGMENTS_DATA);
    for(i = pushes; i > 0; i--) { /* the last one first */
      CHECK_EQUAL(wholes, 0);
      take(i - 1);
      take(i - 1); /* a repeated one changes nothing */
    }
    CHECK_EQUAL(wholes, 1);
    CHECK_EQUAL(from, 3);
    CHECK_EQUAL(came_length, length);
    CHECK(memcmp(came, data, length) == 0);
  }
}
/*---------------------------------------------------------------------------*/
static void
a_lost_fragment_is_a_lost_event_and_the_next_one_comes(void)
{
  begin();
  push(100, 0);
  take(0);
  take(1);
  take(3);
  CHECK_EQUAL(wholes, 0);
  pushes = 0;
  push(60, 9);
  take(0);
  CHECK_EQUAL(event_fragments_counters.fragmented_incomplete, 1);
  take(1);
  take(2);
  CHECK_EQUAL(wholes, 1);
  CHECK_EQUAL(came_length, 60);
  CHECK_EQUAL(event_fragments_counters.fragmented_whole, 1);
  CHECK_EQUAL(event_fragments_counters.fragmented_incomplete, 1);
}
/*---------------------------------------------------------------------------*/
static void
fragments_of_more_suppliers_than_places(void)
{
  unsigned i;

  begin();
  push(40, 0);
  for(i = 0; i < EVENT_FRAGMENTS_SOURCES + 1; i++) {
    pushed[0].contributor[0].publisher = i + 1;
    take(0);
  }
  CHECK_EQUAL(event_fragments_counters.fragmented_incomplete, 1);
  pushed[1].contributor[0].publisher = i;
  take(1);
  CHECK_EQUAL(wholes, 1);
  CHECK_EQUAL(from, i);
}
/*---------------------------------------------------------------------------*/
static void
a_sender_that_is_busy_refuses(void)
{
  begin();
  CHECK(event_fragments_push(&sender, 1, data, 100, 5));
  CHECK(!event_fragments_push(&sender, 1, data, 100, 5));
  CHECK_EQUAL(event_fragments_counters.fragmented_refused, 1);
  host_pass(100);
  CHECK(event_fragments_push(&sender, 1, data, 100, 5));
  CHECK(!event_fragments_push(&sender, 1, data, EVENT_FRAGMENTS_SIZE + 1, 5));
}
/*---------------------------------------------------------------------------*/
static void
what_is_no_fragment_is_passed_over(void)
{
  static const uint8_t wrong[][4] = {
    { 2, 0, 0 },        /* too short: its length is the first byte here */
    { 4, 0, 2, 1 },     /* place behind the last */
    { 4, 0, 0, 200 },   /* more fragments than there is room for */
    { 31, 0, 0, 1 },    /* not the last, and not full */
  };
  unsigned i;

  for(i = 0; i < 4; i++) {
    struct pubsub_event one = { .subject = 1, .contributors = 1,
                                .contributor = { { .publisher = 3 } } };

    begin();
    one.length = wrong[i][0];
    memcpy(one.data, wrong[i] + 1, 3);
    event_fragments_take(&one, whole);
    CHECK_EQUAL(wholes, 0);
    /* It has begun nothing that the next event would count as incomplete. */
    push(20, 1);
    take(0);
    CHECK_EQUAL(wholes, 1);
    CHECK_EQUAL(event_fragments_counters.fragmented_incomplete, 0);
  }
}
/*---------------------------------------------------------------------------*/
#define T(name) { #name, name }
int
main(int argc, char **argv)
{
  static const struct test tests[] = {
    T(every_size_comes_whole),
    T(a_lost_fragment_is_a_lost_event_and_the_next_one_comes),
    T(fragments_of_more_suppliers_than_places),
    T(a_sender_that_is_busy_refuses),
    T(what_is_no_fragment_is_passed_over),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
