/* SPDX-License-Identifier: Apache-2.0 */
/* Registrations on their way up. */
#ifndef UNIT_EVENT_SERVICE_REQUESTS_H_
#define UNIT_EVENT_SERVICE_REQUESTS_H_

#include "event_service_node.h"

static void
a_registration_goes_up_until_the_parent_has_it(void)
{
  uint16_t length;

  start(leaf);
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, "\4\4\1\0\0\0", 6));
  length = registration(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, "\4\4\1\0\0\0", 6);
  host_pass(9);
  CHECK_SILENT();
  host_pass(1);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  host_pass(99);
  CHECK_SILENT();
  host_pass(51); /* it waits by chance up to half the time longer */
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  CHECK_EQUAL(event_service_counters.registrations_sent, 2);
  CHECK_EQUAL(event_service_counters.registrations_repeated, 1);

  /* Acknowledgements of something else. */
  acknowledged_by(OTHER, EVENT_SERVICE_ADVERTISE, CHILD, TEMP, "\4\4\1\0\0\0", 6);
  acknowledged_by(PARENT, EVENT_SERVICE_DISCONNECT_SUPPLIER, CHILD, TEMP, "\4\4\1\0\0\0", 6);
  acknowledged_by(PARENT, EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, "\4\4\1\0\0\0", 6);
  acknowledged_by(PARENT, EVENT_SERVICE_ADVERTISE, CHILD + 1, TEMP, "\4\4\1\0\0\0", 6);
  acknowledged_by(PARENT, EVENT_SERVICE_ADVERTISE, CHILD, PRES, "\4\4\1\0\0\0", 6);
  acknowledged_by(PARENT, EVENT_SERVICE_ADVERTISE, CHILD, TEMP, "\4\4\1\0\0\1", 6);
  acknowledged_by(PARENT, EVENT_SERVICE_ADVERTISE, CHILD, TEMP, WITHOUT_TERMS);
  CHECK_EQUAL(event_service_counters.registrations_acknowledged, 0);
  registration(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, "\4\4\1\0\0\0", 6);
  host_pass(150);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  CHECK_SILENT();

  for(int again = 0; again < 2; again++) {
    acknowledged_by(PARENT, EVENT_SERVICE_ADVERTISE, CHILD, TEMP, "\4\4\1\0\0\0", 6);
    CHECK_EQUAL(event_service_counters.registrations_acknowledged, 1);
  }
  host_pass(1000);
  CHECK_SILENT();
  CHECK_EQUAL(event_service_counters.registrations_sent, 3);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 0);
}
/*---------------------------------------------------------------------------*/
static void
a_repeat_comes_after_the_time_and_up_to_half_of_it(void)
{
  unsigned least = 1000, most = 0;

  start(leaf);
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, WITHOUT_TERMS));
  host_pass(10);
  CHECK_EQUAL(host_sent_frames, ++seen);
  for(unsigned repeats = 0; repeats < 500; repeats++) {
    unsigned wait = 0;

    while(host_sent_frames == seen) {
      host_pass(1);
      CHECK(++wait < HANG);
    }
    seen++;
    least = wait < least ? wait : least;
    most = wait > most ? wait : most;
  }
  CHECK_EQUAL(least, 100);
  CHECK_EQUAL(most, 150);
  CHECK_EQUAL(event_service_counters.registrations_repeated, 500);
}
/*---------------------------------------------------------------------------*/
static void
as_many_requests_wait_as_there_is_room_for(void)
{
  start(leaf);
  for(int i = 0; i < EVENT_SERVICE_REQUESTS; i++) {
    CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD + i, TEMP, WITHOUT_TERMS));
  }
  CHECK(!registers(EVENT_SERVICE_ADVERTISE, CHILD + EVENT_SERVICE_REQUESTS, TEMP, WITHOUT_TERMS));
  CHECK(!registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS)); /* the other end */
  CHECK(!registers(EVENT_SERVICE_ADVERTISE, CHILD, PRES, WITHOUT_TERMS));
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, WITHOUT_TERMS)); /* the same again */
  CHECK(registers(EVENT_SERVICE_DISCONNECT_SUPPLIER, CHILD + 1, TEMP, WITHOUT_TERMS)); /* in the earlier one's place */
  acknowledged_by(PARENT, EVENT_SERVICE_ADVERTISE, CHILD + 1, TEMP, WITHOUT_TERMS);
  CHECK(!registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS));
  acknowledged_by(PARENT, EVENT_SERVICE_DISCONNECT_SUPPLIER, CHILD + 1, TEMP, WITHOUT_TERMS);
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS));
  CHECK(!registers(EVENT_SERVICE_ADVERTISE, CHILD, PRES, WITHOUT_TERMS));
  host_pass(10);
  CHECK_EQUAL(host_sent_frames, seen += EVENT_SERVICE_REQUESTS);
}
/*---------------------------------------------------------------------------*/
/* A mote that gets another image by its serial line starts anew, whatever was under way. */
static void
a_start_anew_forgets_requests(void)
{
  uint16_t length;

  start(leaf);
  for(int i = 0; i < EVENT_SERVICE_REQUESTS; i++) {
    CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD + i, TEMP, WITHOUT_TERMS));
  }
  host_pass(10);
  CHECK_EQUAL(host_sent_frames, seen += EVENT_SERVICE_REQUESTS);
  start(leaf);
  host_pass(1000);
  CHECK_SILENT();
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, PRES, WITHOUT_TERMS));
  host_pass(10);
  length = registration(EVENT_SERVICE_ADVERTISE, CHILD, PRES, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  for(int i = 1; i < EVENT_SERVICE_REQUESTS; i++) {
    CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD + i, PRES, WITHOUT_TERMS));
  }
  CHECK(!registers(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, WITHOUT_TERMS));
}
/*---------------------------------------------------------------------------*/
static void
what_a_request_waits_for_is_the_later_one(void)
{
  uint16_t length;

  start(leaf);
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS));
  host_pass(10);
  length = registration(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  host_pass(60);
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS));
  host_pass(39);
  CHECK_SILENT(); /* that it came once more changes no time */
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, "\6\1\4", 3));
  length = registration(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, "\6\1\4", 3);
  host_pass(10);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  CHECK_SILENT();
  CHECK_EQUAL(event_service_counters.registrations_repeated, 0); /* it is another one */
  host_pass(150);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
a_registration_that_is_none_is_malformed(void)
{
  static const uint16_t nobody[] = { PUBSUB_NOBODY, PUBSUB_SEVERAL, PUBSUB_EVERYBODY };
  static const char *const no_terms[] = { "\0\1\1", "\x9\1\1", "\6\2\1", "\6\1\1\6" };
  unsigned wrong = 0;
  uint16_t length;

  start(leaf);
  length = registration(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, WITHOUT_TERMS);
  for(uint16_t cut = 0; cut < length; cut++) {
    receive(PUBSUB_FRAME_REGISTRATION, CHILD, body, cut);
    receive(PUBSUB_FRAME_REGISTERED, PARENT, body, cut);
    receive(PUBSUB_FRAME_BOUND, PARENT, body, cut + 2 > length ? length : cut + 1);
    CHECK_EQUAL(pubsub_counters.packets_malformed, wrong += 3);
  }
  for(unsigned i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++) {
    CHECK(!registers(EVENT_SERVICE_ADVERTISE, nobody[i], TEMP, WITHOUT_TERMS));
    CHECK_EQUAL(pubsub_counters.packets_malformed, ++wrong);
  }
  CHECK(!registers(0, CHILD, TEMP, WITHOUT_TERMS));
  CHECK(!registers(EVENT_SERVICE_DISCONNECT_CONSUMER + 1, CHILD, TEMP, WITHOUT_TERMS));
  CHECK_EQUAL(pubsub_counters.packets_malformed, wrong += 2);
  for(unsigned i = 0; i < sizeof(no_terms) / sizeof(no_terms[0]); i++) {
    CHECK(!registers(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, no_terms[i], i == 3 ? 4 : 3));
    CHECK_EQUAL(pubsub_counters.packets_malformed, ++wrong);
  }
  /* The longest, and one byte more. */
  {
    uint8_t longest[EVENT_SERVICE_REGISTRATION_MOST + 1] = { EVENT_SERVICE_ADVERTISE, CHILD, 0, 1 };

    longest[EVENT_SERVICE_REGISTRATION_SIZE] = 7;
    longest[EVENT_SERVICE_REGISTRATION_SIZE + 1] = EVENT_SERVICE_TERMS - 2;
    receive(PUBSUB_FRAME_REGISTRATION, CHILD, longest, sizeof(longest) - 1);
    CHECK_SENT(REGISTERED, CHILD, longest, sizeof(longest) - 1);
    longest[EVENT_SERVICE_REGISTRATION_SIZE + 1]++;
    receive(PUBSUB_FRAME_REGISTRATION, CHILD, longest, sizeof(longest));
    CHECK_SILENT();
    CHECK_EQUAL(pubsub_counters.packets_malformed, ++wrong);
  }
}

#endif
