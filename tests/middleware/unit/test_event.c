/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "host.h"

static const struct pubsub_contributor three[] = {
  { 1, 0 }, { 7, 65535 }, { 255, 258 }
};
/*---------------------------------------------------------------------------*/
static void
subjects(void)
{
  CHECK(pubsub_subject("12345678") == 0x3132333435363738ULL);
  CHECK(pubsub_subject("123456789") == 0x3132333435363738ULL);
  CHECK(pubsub_subject("12") == 0x3132000000000000ULL);
  CHECK(pubsub_subject("") == 0);
}
/*---------------------------------------------------------------------------*/
static void
bytes_on_air(void)
{
  struct pubsub_event event = host_make(pubsub_subject("ab"), -2, 2, three);
  const uint8_t expected[] = {
    0, 0, 0, 0, 0, 0, 'b', 'a', /* little-endian */
    PUBSUB_AGGREGATABLE, 2, 2,
    0xfe, 0xff,
    1, 0, 0,
    7, 0xff, 0xff
  };
  uint8_t buffer[PUBSUB_FRAME_SIZE];

  CHECK_EQUAL(pubsub_event_size(&event), sizeof(expected));
  CHECK_EQUAL(pubsub_event_encode(&event, buffer, sizeof(buffer)),
              sizeof(expected));
  CHECK(memcmp(buffer, expected, sizeof(expected)) == 0);
  CHECK_EQUAL(pubsub_event_encode(&event, buffer, sizeof(expected) - 1), 0);
}
/*---------------------------------------------------------------------------*/
static void
round_trip(void)
{
  struct pubsub_event event = host_make(pubsub_subject("x"), 12345, 3, three);
  struct pubsub_event copy;
  uint8_t buffer[PUBSUB_FRAME_SIZE];
  uint16_t size = pubsub_event_encode(&event, buffer, sizeof(buffer));

  memset(&copy, 0, sizeof(copy));
  CHECK(pubsub_event_decode(&copy, buffer, size));
  CHECK(memcmp(&event, &copy, sizeof(event)) == 0);
  CHECK(pubsub_event_contains(&copy, 7));
  CHECK(!pubsub_event_contains(&copy, 8));
}
/*---------------------------------------------------------------------------*/
/* What the memory held before is no part of it. */
static void
an_event_without_incarnations_has_none(void)
{
  struct pubsub_event event = host_make(pubsub_subject("x"), 5, 3, three);
  struct pubsub_event copy;
  uint8_t buffer[PUBSUB_FRAME_SIZE];
  uint16_t size = pubsub_event_encode(&event, buffer, sizeof(buffer));

  memset(&copy, 0xff, sizeof(copy));
  CHECK(pubsub_event_decode(&copy, buffer, size));
  CHECK_EQUAL(copy.contributors, 3);
  for(unsigned i = 0; i < 3; i++) {
    CHECK_EQUAL(copy.contributor[i].publisher, three[i].publisher);
    CHECK_EQUAL(copy.contributor[i].sequence, three[i].sequence);
    CHECK_EQUAL(copy.contributor[i].incarnation, 0);
  }
}
/*---------------------------------------------------------------------------*/
static void
other_lengths_are_refused(void)
{
  struct pubsub_event event = host_make(pubsub_subject("x"), 5, 3, three);
  uint8_t buffer[PUBSUB_FRAME_SIZE] = { 0 };
  uint16_t size = pubsub_event_encode(&event, buffer, sizeof(buffer));

  for(uint16_t n = 0; n < sizeof(buffer); n++) {
    CHECK_EQUAL(pubsub_event_decode(&event, buffer, n), n == size);
  }
}
/*---------------------------------------------------------------------------*/
static void
wrong_fields_are_refused(void)
{
  struct pubsub_event event = host_make(pubsub_subject("x"), 5, 1, three);
  uint8_t right[PUBSUB_FRAME_SIZE] = { 0 }, wrong[PUBSUB_FRAME_SIZE];
  uint16_t size = pubsub_event_encode(&event, right, sizeof(right));
  static const struct { uint8_t at, value; } changes[] = {
    { 8, 0x04 }, { 8, 0x80 },  /* unknown flags */
    { 9, 0 }, { 9, 2 }, { 9, 255 },
    { 10, 0 }, { 10, 3 }, { 10, PUBSUB_MAX_DATA + 1 }, { 10, 255 },
    { 13, 0 }                  /* publisher 0 */
  };

  for(unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
    memcpy(wrong, right, sizeof(wrong));
    wrong[changes[i].at] = changes[i].value;
    CHECK(!pubsub_event_decode(&event, wrong, size));
  }
  CHECK(pubsub_event_decode(&event, right, size));
}
/*---------------------------------------------------------------------------*/
static void
largest_event_fills_a_frame(void)
{
  struct pubsub_contributor many[PUBSUB_MAX_CONTRIBUTORS];
  struct pubsub_event event;
  unsigned n = PUBSUB_MAX_CONTRIBUTORS;

  for(unsigned i = 0; i < n; i++) {
    many[i] = (struct pubsub_contributor){ i + 1, i };
  }
  event = host_make(0, 0, n, many);
  event.length = 0;
  CHECK(pubsub_event_fits(&event, 0));
  CHECK(!pubsub_event_fits(&event, 1));
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
  static const struct test tests[] = {
    { "subjects", subjects },
    { "bytes_on_air", bytes_on_air },
    { "round_trip", round_trip },
    { "an_event_without_incarnations_has_none", an_event_without_incarnations_has_none },
    { "other_lengths_are_refused", other_lengths_are_refused },
    { "wrong_fields_are_refused", wrong_fields_are_refused },
    { "largest_event_fills_a_frame", largest_event_fills_a_frame },
    { 0 }
  };

  return host_main(tests, argc, argv);
}
