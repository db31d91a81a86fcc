/* SPDX-License-Identifier: Apache-2.0 */
/* A mote of the event service between its parent 2 and the motes 9 and on below it: which frames it sends for those that
   it gets, and what becomes of nonsense. */
#include "event-channel.h"
#include "event-service.h"
#include "event-service-binding.h"
#include "event-service-instructor.h"
#include "event-service-output.h"
#include "event-service-renewal.h"
#include "event-service-requests.h"
#include "event-service-up.h"
#include "event-terms.h"
#include "host.h"
#include "pubsub-bridge.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "pubsub.h"

#define SELF 5
#define PARENT 2
#define CHILD 9
#define OTHER 7 /* a neighbour that is neither */

#define TEMP pubsub_subject("temp")
#define PRES pubsub_subject("pres")

extern struct process event_service_process, event_service_instructor_process, pubsub_bridge_process;

static const struct event_service_place leaf = {
  .mote = SELF, .parent = PARENT, .publisher = 3, .send_buffer = 2, .retry = 100
};
static const struct event_service_place base = {
  .mote = SELF, .parent = PUBSUB_NOBODY, .publisher = 3, .send_buffer = 2, .retry = 100, .uart_rate = 999
};

static unsigned seen; /* of the frames that were sent */
/*---------------------------------------------------------------------------*/
static bool
is_neighbour(uint16_t mote)
{
  return mote < 100;
}
/*---------------------------------------------------------------------------*/
static uint16_t
no_next_hop(const struct pubsub_event *event, uint16_t from)
{
  return PUBSUB_NOBODY;
}

static const struct pubsub_routing_driver tree = { .name = "tree", .is_neighbour = is_neighbour, .next_hop = no_next_hop };
/*---------------------------------------------------------------------------*/
static void
start(struct event_service_place place)
{
  pubsub_init(place.mote, place.publisher, &tree);
  event_service_init(&place);
}
/*---------------------------------------------------------------------------*/
static void
receive(uint8_t type, uint16_t from, const uint8_t *body, uint16_t length)
{
  uint8_t frame[PUBSUB_FRAME_SIZE + 1] = { PUBSUB_FRAME_FIRST(type) };

  pubsub_put16(pubsub_put16(pubsub_put16(frame + 1, from), SELF), 1);
  if(length > 0) {
    memcpy(frame + PUBSUB_FRAME_HEADER_SIZE, body, length);
  }
  host_receive(frame, PUBSUB_FRAME_HEADER_SIZE + length);
}
/*---------------------------------------------------------------------------*/
/* Checks the next frame that was sent. */
static void
sent(int line, uint8_t type, uint16_t to, const uint8_t *body, uint16_t length)
{
  const struct host_frame *frame = &host_sent[seen % 256];

  if(seen == host_sent_frames || frame->bytes[0] != PUBSUB_FRAME_FIRST(type) || host_next_hop(seen % 256) != to
     || pubsub_get16(frame->bytes + 1) != SELF || frame->length != PUBSUB_FRAME_HEADER_SIZE + length
     || (length > 0 && memcmp(frame->bytes + PUBSUB_FRAME_HEADER_SIZE, body, length) != 0)) {
    fprintf(stderr, "line %d: %u frames, this of type %u to %u with %u bytes:", line, host_sent_frames - seen,
            frame->bytes[0] & 31, host_next_hop(seen % 256), frame->length);
    for(unsigned i = 0; i < frame->length; i++) {
      fprintf(stderr, " %02x", frame->bytes[i]);
    }
    fprintf(stderr, "\n");
    exit(1);
  }
  seen++;
}

#define CHECK_SENT(type, to, body, length) sent(__LINE__, PUBSUB_FRAME_##type, to, body, length)
#define CHECK_SILENT() CHECK_EQUAL(host_sent_frames, seen)
/*---------------------------------------------------------------------------*/
static uint8_t body[EVENT_SERVICE_REGISTRATION_MOST];

/* Encodes a registration into `body`; returns its size. */
static uint16_t
registration(uint8_t what, uint16_t origin, pubsub_subject_t event, const char *terms, uint8_t length)
{
  struct event_service_registration r = { .what = what, .origin = origin, .event = event, .terms_length = length };

  memcpy(r.terms, terms, length);
  return event_service_registration_encode(&r, body);
}

#define WITHOUT_TERMS "", 0
/*---------------------------------------------------------------------------*/
/* A child registers: whether it is acknowledged, and no other frame goes out. */
static bool
registers(uint8_t what, uint16_t origin, pubsub_subject_t event, const char *terms, uint8_t terms_length)
{
  uint16_t length = registration(what, origin, event, terms, terms_length);

  receive(PUBSUB_FRAME_REGISTRATION, CHILD, body, length);
  if(host_sent_frames == seen) {
    return false;
  }
  CHECK_SENT(REGISTERED, CHILD, body, length);
  CHECK_SILENT();
  return true;
}
/*---------------------------------------------------------------------------*/
static void
acknowledged_by(uint16_t from, uint8_t what, uint16_t origin, pubsub_subject_t event, const char *terms, uint8_t length)
{
  uint16_t size = registration(what, origin, event, terms, length);

  receive(PUBSUB_FRAME_REGISTERED, from, body, size);
}
/*---------------------------------------------------------------------------*/
/* An encoded event of publisher 1. */
static uint8_t event_bytes[PUBSUB_FRAME_SIZE];

static uint16_t
event_of(pubsub_subject_t subject, uint8_t first, uint8_t second)
{
  const struct pubsub_event event = { .subject = subject, .contributors = 1, .contributor = { { 1, 8, 0 } }, .length = 2,
                                      .data = { first, second } };

  return pubsub_event_encode(&event, event_bytes, sizeof(event_bytes));
}
/*---------------------------------------------------------------------------*/
/* A delivery's body, in `delivery_bytes`. */
static uint8_t delivery_bytes[PUBSUB_FRAME_SIZE];

static uint16_t
delivery_of(unsigned consumers, const uint16_t *consumer, pubsub_subject_t subject)
{
  uint16_t length = event_of(subject, 1, 2);
  uint8_t *at = delivery_bytes;

  *at++ = consumers;
  for(unsigned i = 0; i < consumers; i++) {
    at = pubsub_put16(at, consumer[i]);
  }
  memcpy(at, event_bytes, length);
  return at + length - delivery_bytes;
}

#define DELIVERY(subject, ...) \
  delivery_of(sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2, (const uint16_t[]){ __VA_ARGS__ }, subject)
/*---------------------------------------------------------------------------*/
static unsigned consumed;
static uint16_t consumed_from;
static struct pubsub_event last;

static void
take(const struct pubsub_event *event, uint16_t from)
{
  consumed++;
  consumed_from = from;
  last = *event;
}
/*---------------------------------------------------------------------------*/
static pubsub_subject_t ended;

static void
note_end(pubsub_subject_t event)
{
  ended = event;
}

static const struct push_consumer consumer = { take, note_end }, brief_consumer = { take, NULL };
static const struct push_supplier supplier = { note_end }, brief_supplier = { NULL };
/*---------------------------------------------------------------------------*/
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
      wait++;
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
/*---------------------------------------------------------------------------*/
static void
deliveries_go_to_who_is_below_and_to_this_mote(void)
{
  uint16_t length;

  start(leaf);
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS));
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD + 1, TEMP, WITHOUT_TERMS));
  CHECK(event_channel_subscribe(TEMP, &consumer));
  length = DELIVERY(TEMP, SELF, CHILD, 77);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  length = DELIVERY(TEMP, CHILD);
  CHECK_SENT(DELIVERY, PUBSUB_EVERYBODY, delivery_bytes, length);
  CHECK_EQUAL(consumed, 1);
  CHECK_EQUAL(consumed_from, PARENT);
  CHECK_EQUAL(last.subject, TEMP);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 1);
  CHECK_EQUAL(pubsub_counters.events_transmitted, 1);

  length = DELIVERY(TEMP, 77, CHILD + 1, CHILD);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  length = DELIVERY(TEMP, CHILD + 1, CHILD);
  CHECK_SENT(DELIVERY, PUBSUB_EVERYBODY, delivery_bytes, length);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 2);
  length = DELIVERY(TEMP, SELF);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  CHECK_EQUAL(consumed, 2);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 3);
  length = DELIVERY(PRES, SELF); /* nobody here has subscribed to it */
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 4);

  length = DELIVERY(TEMP, 77, 78);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  length = DELIVERY(TEMP, SELF, CHILD);
  receive(PUBSUB_FRAME_DELIVERY, OTHER, delivery_bytes, length);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 4);
  CHECK_EQUAL(consumed, 2);
  CHECK_EQUAL(pubsub_counters.events_delivered, 2);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 0);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
a_delivery_that_is_none_is_malformed(void)
{
  unsigned wrong = 0;
  uint16_t length, seventeen[17];

  start(leaf);
  CHECK(event_channel_subscribe(TEMP, &consumer));
  for(unsigned i = 0; i < 17; i++) {
    seventeen[i] = i == 0 ? SELF : 50 + i;
  }
  length = delivery_of(16, seventeen, TEMP);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  CHECK_EQUAL(consumed, 1);
  length = delivery_of(17, seventeen, TEMP);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  length = delivery_of(0, seventeen, TEMP);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  length = DELIVERY(TEMP, SELF, PUBSUB_NOBODY);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  length = DELIVERY(TEMP, SELF, PUBSUB_SEVERAL);
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  CHECK_EQUAL(pubsub_counters.packets_malformed, wrong += 4);
  length = DELIVERY(TEMP, SELF, CHILD);
  for(uint16_t cut = 0; cut < length; cut++) {
    receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, cut);
    CHECK_EQUAL(pubsub_counters.packets_malformed, ++wrong);
    receive(PUBSUB_FRAME_BOUND_DELIVERY, PARENT, delivery_bytes, cut < 5 ? cut : 4);
    CHECK_EQUAL(pubsub_counters.packets_malformed, ++wrong);
  }
  CHECK_EQUAL(consumed, 1);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
pushes_go_up(void)
{
  uint16_t length;

  start(leaf);
  length = event_of(TEMP, 1, 2);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  CHECK_SENT(PUSH, PARENT, event_bytes, length);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 1);
  CHECK_EQUAL(pubsub_counters.events_transmitted, 1);
  for(uint16_t cut = 0; cut < length; cut++) {
    receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, cut);
  }
  CHECK_EQUAL(pubsub_counters.packets_malformed, length);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 1);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
/* A base station with the table: who gets the event that mote 20 pushes. */
static void
table_here(void)
{
  struct event_service_place place = base;

  place.tables_here = true;
  start(place);
}

#define CHECK_PUSHED_ON(first, second, ...) do { \
    uint16_t size = event_of(TEMP, first, second); \
    receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, size); \
    size = DELIVERY(TEMP, __VA_ARGS__); \
    delivery_bytes[size - 5] = first; /* the data are before the contributor */ \
    delivery_bytes[size - 4] = second; \
    CHECK_SENT(DELIVERY, PUBSUB_EVERYBODY, delivery_bytes, size); \
    CHECK_SILENT(); \
  } while(0)
#define CHECK_PUSHED_TO_NOBODY(first, second) do { \
    uint16_t size = event_of(TEMP, first, second); \
    receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, size); \
    CHECK_SILENT(); \
  } while(0)
/*---------------------------------------------------------------------------*/
static void
a_base_station_with_a_table_knows_who_subscribed(void)
{
  uint16_t length;

  table_here();
  CHECK_PUSHED_TO_NOBODY(1, 2);
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, WITHOUT_TERMS));
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD + 1, PRES, WITHOUT_TERMS));
  CHECK(registers(EVENT_SERVICE_DISCONNECT_CONSUMER, CHILD + 2, TEMP, WITHOUT_TERMS));
  CHECK_PUSHED_TO_NOBODY(1, 2);
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD + 1, TEMP, WITHOUT_TERMS));
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD + 2, TEMP, WITHOUT_TERMS));
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD + 1, TEMP, WITHOUT_TERMS)); /* again */
  CHECK_PUSHED_ON(1, 2, CHILD + 1, CHILD + 2);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 3);
  CHECK(registers(EVENT_SERVICE_DISCONNECT_SUPPLIER, CHILD + 1, TEMP, WITHOUT_TERMS));
  CHECK(registers(EVENT_SERVICE_DISCONNECT_CONSUMER, CHILD + 1, TEMP, WITHOUT_TERMS));
  CHECK_PUSHED_ON(1, 2, CHILD + 2);
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD + 2, TEMP, "\7\3\x42\1\5", 5)); /* the second byte > 5 */
  CHECK_PUSHED_ON(0, 6, CHILD + 2);
  CHECK_PUSHED_TO_NOBODY(9, 5);
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD + 2, TEMP, WITHOUT_TERMS));
  CHECK_PUSHED_ON(9, 5, CHILD + 2);

  /* Its own mote, which is delivered nothing on the air. */
  CHECK(event_channel_subscribe(TEMP, &consumer));
  CHECK_PUSHED_ON(9, 5, CHILD + 2);
  CHECK_EQUAL(consumed, 1);
  CHECK_EQUAL(consumed_from, SELF);
  CHECK(event_channel_advertise(TEMP, &supplier));
  CHECK(push_consumer_push(TEMP, (const uint8_t *)"\7\7", 2));
  CHECK_EQUAL(consumed, 2);
  CHECK_EQUAL(last.contributor[0].publisher, 3);
  CHECK_EQUAL(host_sent_frames, ++seen);
  length = DELIVERY(TEMP, SELF);
  receive(PUBSUB_FRAME_DELIVERY, OTHER, delivery_bytes, length); /* nobody is its parent */
  CHECK_EQUAL(consumed, 2);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 0);
  CHECK_EQUAL(event_service_counters.registrations_sent, 0);
}
/*---------------------------------------------------------------------------*/
static void
tables_have_an_end(void)
{
  uint16_t all[16];

  table_here();
  for(unsigned i = 0; i < EVENT_SERVICE_SUBSCRIPTIONS; i++) {
    CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD + i, TEMP, WITHOUT_TERMS));
  }
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 0);
  CHECK(!registers(EVENT_SERVICE_SUBSCRIBE, CHILD, PRES, WITHOUT_TERMS));
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 1);
  CHECK(registers(EVENT_SERVICE_DISCONNECT_CONSUMER, CHILD, PRES, WITHOUT_TERMS)); /* it isn't there: no harm is done */
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, PRES, WITHOUT_TERMS));
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 1);
  for(unsigned i = 0; i < 16; i++) { /* as many as a delivery names */
    all[i] = CHILD + i;
  }
  {
    uint16_t size = event_of(TEMP, 1, 2);

    receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, size);
    size = delivery_of(16, all, TEMP);
    CHECK_SENT(DELIVERY, PUBSUB_EVERYBODY, delivery_bytes, size);
  }
  CHECK(registers(EVENT_SERVICE_DISCONNECT_CONSUMER, CHILD + 3, TEMP, WITHOUT_TERMS));
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD, PRES, WITHOUT_TERMS));

  /* Motes below it that it can remember. */
  for(unsigned i = EVENT_SERVICE_SUBSCRIPTIONS; i < EVENT_SERVICE_BELOW; i++) {
    CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD + i, TEMP, WITHOUT_TERMS));
  }
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 1);
  CHECK(!registers(EVENT_SERVICE_ADVERTISE, CHILD + EVENT_SERVICE_BELOW, TEMP, WITHOUT_TERMS));
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 2);
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD + EVENT_SERVICE_BELOW - 1, TEMP, WITHOUT_TERMS));

  table_here(); /* it starts anew and knows nobody */
  CHECK_PUSHED_TO_NOBODY(1, 2);
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD + EVENT_SERVICE_BELOW, TEMP, WITHOUT_TERMS));
}
/*---------------------------------------------------------------------------*/
static void
channels_of_an_application(void)
{
  static const uint8_t data[PUBSUB_MAX_DATA + 1] = { 4, 5 };
  static const char *const names[] = { "a", "b", "c", "d" };
  uint8_t terms[EVENT_SERVICE_TERMS + 1] = { 7, EVENT_SERVICE_TERMS - 2 };
  struct event_service_place place = leaf;

  table_here();
  CHECK(!push_consumer_push(TEMP, data, 2));
  CHECK(!push_supplier_disconnect(TEMP) && !push_consumer_disconnect(TEMP));
  CHECK(event_channel_subscribe(TEMP, &consumer));
  CHECK(!push_consumer_push(TEMP, data, 2)); /* it consumes only */
  CHECK(!push_supplier_disconnect(TEMP));
  CHECK(event_channel_advertise(TEMP, &supplier));
  CHECK_EQUAL(pubsub_counters.events_published, 0);
  for(int again = 1; again < 4; again++) {
    CHECK(push_consumer_push(TEMP, data, 2));
    CHECK_EQUAL(consumed, again);
    CHECK_EQUAL(last.contributor[0].sequence, again);
    CHECK_EQUAL(last.contributor[0].publisher, 3);
    CHECK_EQUAL(last.length, 2);
    CHECK(memcmp(last.data, data, 2) == 0);
    CHECK_EQUAL(pubsub_counters.events_published, again);
  }
  CHECK(push_consumer_push(TEMP, data, PUBSUB_MAX_DATA));
  CHECK(!push_consumer_push(TEMP, data, PUBSUB_MAX_DATA + 1));
  CHECK_EQUAL(pubsub_counters.events_published, 4);

  /* The end of one part leaves the other. */
  CHECK(push_consumer_disconnect(TEMP) && ended == TEMP);
  ended = 0;
  CHECK(!push_consumer_disconnect(TEMP) && ended == 0);
  CHECK(push_consumer_push(TEMP, data, 2));
  CHECK_EQUAL(consumed, 4);
  CHECK(push_supplier_disconnect(TEMP) && ended == TEMP);
  CHECK(!push_consumer_push(TEMP, data, 2) && !push_supplier_disconnect(TEMP));

  /* As many as there is room for, of which one is given back, once both parts have ended. */
  for(int i = 0; i < EVENT_SERVICE_CHANNELS; i++) {
    CHECK(event_channel_advertise(pubsub_subject(names[i]), i % 2 ? &brief_supplier : NULL));
  }
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 0);
  CHECK(!event_channel_advertise(TEMP, &supplier) && !event_channel_subscribe(TEMP, &consumer));
  CHECK(!event_channel_listen(TEMP, &consumer));
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 3);
  CHECK(event_channel_subscribe(pubsub_subject("b"), &brief_consumer));
  CHECK(push_consumer_push(pubsub_subject("b"), data, 2));
  CHECK(push_supplier_disconnect(pubsub_subject("b")) && !event_channel_advertise(TEMP, &supplier));
  CHECK(push_consumer_disconnect(pubsub_subject("b")) && event_channel_advertise(TEMP, &supplier));
  CHECK(push_supplier_disconnect(pubsub_subject("a")) && event_channel_listen(PRES, &consumer));
  CHECK(push_consumer_disconnect(PRES));
  CHECK(event_channel_subscribe(TEMP, &consumer) && push_consumer_push(TEMP, data, 2));
  CHECK_EQUAL(last.contributor[0].sequence, 1); /* the place was another event's before */

  /* Terms that a registration has room for, and one byte more. */
  CHECK(event_channel_advertise_with(TEMP, &supplier, terms, EVENT_SERVICE_TERMS));
  CHECK(!event_channel_advertise_with(TEMP, &supplier, terms, EVENT_SERVICE_TERMS + 1));
  CHECK(event_channel_subscribe_with(TEMP, &consumer, terms, EVENT_SERVICE_TERMS));
  CHECK(!event_channel_subscribe_with(TEMP, &consumer, terms, EVENT_SERVICE_TERMS + 1));

  /* A mote that is no supplier, and one whose parent has too many requests to take. */
  place.publisher = 0;
  start(place);
  CHECK(event_channel_advertise(TEMP, &supplier) && !push_consumer_push(TEMP, data, 2));
  for(int i = 1; i < EVENT_SERVICE_REQUESTS; i++) {
    CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, 100 + i, WITHOUT_TERMS));
  }
  CHECK(!event_channel_subscribe(TEMP, &consumer) && !event_channel_advertise(PRES, &supplier));
  ended = 0;
  CHECK(!push_consumer_disconnect(TEMP) && ended == 0);
}
/*---------------------------------------------------------------------------*/
static void
identify(bool renew)
{
  struct event_service_place place = leaf;

  place.identifiers = true;
  place.renewal = renew ? 100000 : 0;
  start(place);
}
/*---------------------------------------------------------------------------*/
/* What is acknowledged with an identifier, and what has none. */
static bool
binds(uint16_t origin, pubsub_subject_t subject)
{
  uint8_t bound[2 + EVENT_SERVICE_REGISTRATION_MOST];
  uint16_t length = registration(EVENT_SERVICE_SUBSCRIBE, origin, subject, WITHOUT_TERMS);

  receive(PUBSUB_FRAME_REGISTRATION, CHILD, body, length);
  memcpy(pubsub_put16(bound, pubsub_subject_id(subject)), body, length);
  if(host_sent[seen].bytes[0] != PUBSUB_FRAME_FIRST(PUBSUB_FRAME_BOUND)) {
    CHECK_SENT(REGISTERED, CHILD, body, length);
    return false;
  }
  CHECK_SENT(BOUND, CHILD, bound, 2 + length);
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length); /* so that it isn't repeated */
  return true;
}
/*---------------------------------------------------------------------------*/
/* Subjects 0x20 and 0x2000 have one identifier. */
static void
subjects_are_bound_while_there_is_room(void)
{
  identify(false);
  CHECK_EQUAL(pubsub_subject_id(0x2000), pubsub_subject_id(0x20));
  CHECK(!binds(CHILD, 0));
  CHECK(binds(CHILD, 0x20));
  CHECK(!binds(CHILD, 0x2000));
  CHECK(binds(CHILD, TEMP) && binds(CHILD + 1, TEMP) && binds(CHILD, 0x20));
  for(int i = 2; i < EVENT_SERVICE_BINDINGS; i++) {
    CHECK(binds(CHILD, 100 + i));
  }
  CHECK(!binds(CHILD, PRES));
  CHECK(binds(CHILD, TEMP));
  start(leaf); /* no identifiers */
  CHECK(!binds(CHILD, TEMP));
  identify(false); /* and none from before */
  CHECK(binds(CHILD, 0x2000));
  CHECK(!binds(CHILD, 0x20));
}
/*---------------------------------------------------------------------------*/
/* The event in `event_bytes` with an identifier for its subject. */
static uint16_t
shortened(uint16_t identifier, uint16_t length)
{
  return event_service_bound_event_shorten(event_bytes, length, identifier);
}
/*---------------------------------------------------------------------------*/
static void
parent_binds(pubsub_subject_t subject, uint16_t identifier, uint16_t from)
{
  uint8_t bound[2 + EVENT_SERVICE_REGISTRATION_MOST];
  uint16_t length = registration(EVENT_SERVICE_ADVERTISE, SELF, subject, WITHOUT_TERMS);

  memcpy(pubsub_put16(bound, identifier), body, length);
  receive(PUBSUB_FRAME_BOUND, from, bound, 2 + length);
}
/*---------------------------------------------------------------------------*/
static void
pushes_have_identifiers_hop_by_hop(void)
{
  uint8_t unknown[2];
  uint16_t length;

  identify(false);
  CHECK(binds(CHILD, PRES) && binds(CHILD, TEMP));
  length = shortened(pubsub_subject_id(TEMP), event_of(TEMP, 1, 2));
  receive(PUBSUB_FRAME_BOUND_PUSH, CHILD, event_bytes, length);
  length = event_of(TEMP, 1, 2);
  CHECK_SENT(PUSH, PARENT, event_bytes, length); /* the parent has not bound it */
  CHECK_EQUAL(event_service_binding_counters.identifiers_sent, 0);

  CHECK(event_channel_advertise(TEMP, NULL));
  parent_binds(TEMP, 0x1234, OTHER);
  parent_binds(0, 0x1234, PARENT);
  CHECK_EQUAL(event_service_counters.registrations_acknowledged, 2);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  CHECK_SENT(PUSH, PARENT, event_bytes, length);
  parent_binds(TEMP, 0x1234, PARENT);
  CHECK_EQUAL(event_service_counters.registrations_acknowledged, 3);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  length = shortened(0x1234, length);
  CHECK_SENT(BOUND_PUSH, PARENT, event_bytes, length);
  CHECK_EQUAL(event_service_binding_counters.identifiers_sent, 1);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 3);
  length = event_of(PRES, 1, 2);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  CHECK_SENT(PUSH, PARENT, event_bytes, length);

  /* An identifier that this mote hasn't bound is said to the child. */
  length = shortened(0x1234, event_of(TEMP, 1, 2));
  receive(PUBSUB_FRAME_BOUND_PUSH, CHILD, event_bytes, length);
  pubsub_put16(unknown, 0x1234);
  CHECK_SENT(UNBOUND, CHILD, unknown, 2);
  CHECK_EQUAL(event_service_binding_counters.identifiers_unknown, 1);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 4);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 0);
  for(uint16_t cut = 0; cut < length; cut++) {
    receive(PUBSUB_FRAME_BOUND_PUSH, CHILD, event_bytes, cut);
    CHECK_EQUAL(pubsub_counters.packets_malformed, cut + 1);
  }
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
who_lost_a_binding_gets_the_whole_subject(void)
{
  uint8_t identifier[3];
  uint16_t length;

  identify(true);
  CHECK(event_channel_advertise(TEMP, NULL));
  host_pass(10);
  length = registration(EVENT_SERVICE_ADVERTISE, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  parent_binds(TEMP, 0x1234, PARENT);
  CHECK(push_consumer_push(TEMP, (const uint8_t *)"\1\2", 2));
  CHECK_EQUAL(host_sent[seen++].bytes[0], PUBSUB_FRAME_FIRST(PUBSUB_FRAME_BOUND_PUSH));

  /* The parent doesn't know another one, then this one. */
  pubsub_put16(identifier, 0x1235);
  receive(PUBSUB_FRAME_UNBOUND, PARENT, identifier, 2);
  host_pass(10);
  CHECK_SILENT();
  pubsub_put16(identifier, 0x1234);
  receive(PUBSUB_FRAME_UNBOUND, PARENT, identifier, 2);
  host_pass(10);
  length = registration(EVENT_SERVICE_ADVERTISE, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  CHECK_EQUAL(event_service_renewal_counters.registrations_renewed, 1);
  CHECK(push_consumer_push(TEMP, (const uint8_t *)"\1\2", 2));
  CHECK_EQUAL(host_sent[seen++].bytes[0], PUBSUB_FRAME_FIRST(PUBSUB_FRAME_PUSH));
  parent_binds(TEMP, 0x1236, PARENT);
  CHECK(push_consumer_push(TEMP, (const uint8_t *)"\1\2", 2));
  CHECK_EQUAL(pubsub_get16(host_sent[seen++].bytes + PUBSUB_FRAME_HEADER_SIZE), 0x1236);

  /* A child: until it registers once more. */
  CHECK(binds(CHILD, TEMP));
  length = shortened(0x1236, event_of(TEMP, 1, 2));
  delivery_bytes[0] = 1;
  pubsub_put16(delivery_bytes + 1, CHILD);
  memcpy(delivery_bytes + 3, event_bytes, length);
  receive(PUBSUB_FRAME_BOUND_DELIVERY, PARENT, delivery_bytes, 3 + length);
  pubsub_put16(delivery_bytes + 3, pubsub_subject_id(TEMP));
  CHECK_SENT(BOUND_DELIVERY, PUBSUB_EVERYBODY, delivery_bytes, 3 + length);
  pubsub_put16(identifier, 1);
  receive(PUBSUB_FRAME_UNBOUND, CHILD, identifier, 2);
  receive(PUBSUB_FRAME_BOUND_DELIVERY, PARENT, delivery_bytes, 3 + length); /* of an identifier that only we know */
  CHECK_SENT(UNBOUND, PARENT, delivery_bytes + 3, 2);
  pubsub_put16(delivery_bytes + 3, 0x1236);
  receive(PUBSUB_FRAME_BOUND_DELIVERY, OTHER, delivery_bytes, 3 + length);
  CHECK_SILENT();
  receive(PUBSUB_FRAME_BOUND_DELIVERY, PARENT, delivery_bytes, 3 + length);
  CHECK_EQUAL(host_sent[seen++].bytes[0], PUBSUB_FRAME_FIRST(PUBSUB_FRAME_BOUND_DELIVERY));
  pubsub_put16(identifier, pubsub_subject_id(TEMP));
  receive(PUBSUB_FRAME_UNBOUND, CHILD, identifier, 2);
  receive(PUBSUB_FRAME_BOUND_DELIVERY, PARENT, delivery_bytes, 3 + length);
  length = DELIVERY(TEMP, CHILD);
  CHECK_SENT(DELIVERY, PUBSUB_EVERYBODY, delivery_bytes, length);
  CHECK(binds(CHILD, TEMP));
  receive(PUBSUB_FRAME_DELIVERY, PARENT, delivery_bytes, length);
  CHECK_EQUAL(host_sent[seen++].bytes[0], PUBSUB_FRAME_FIRST(PUBSUB_FRAME_BOUND_DELIVERY));
  CHECK_EQUAL(pubsub_counters.packets_malformed, 0);
  receive(PUBSUB_FRAME_UNBOUND, CHILD, identifier, 1);
  receive(PUBSUB_FRAME_UNBOUND, CHILD, identifier, 3);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 2);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
deliveries_with_an_identifier_are_for_their_consumers(void)
{
  uint16_t length;

  identify(true);
  CHECK(event_channel_subscribe(TEMP, &consumer));
  parent_binds(TEMP, 0x1234, PARENT);
  length = shortened(0x1234, event_of(TEMP, 1, 2));
  delivery_bytes[0] = 2;
  pubsub_put16(pubsub_put16(delivery_bytes + 1, 77), SELF);
  memcpy(delivery_bytes + 5, event_bytes, length);
  receive(PUBSUB_FRAME_BOUND_DELIVERY, PARENT, delivery_bytes, 5 + length);
  CHECK_EQUAL(consumed, 1);
  CHECK_EQUAL(last.subject, TEMP);
  receive(PUBSUB_FRAME_BOUND_DELIVERY, PARENT, delivery_bytes, 5 + 4);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 1);
  pubsub_put16(delivery_bytes + 3, 78); /* others, with an identifier that this mote need not know */
  pubsub_put16(delivery_bytes + 5, 0x4321);
  receive(PUBSUB_FRAME_BOUND_DELIVERY, PARENT, delivery_bytes, 5 + length);
  CHECK_EQUAL(consumed, 1);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 1);
  CHECK_EQUAL(event_service_binding_counters.identifiers_unknown, 0);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
renew_after(clock_time_t renewal)
{
  struct event_service_place place = leaf;

  place.renewal = renewal;
  start(place);
}
/*---------------------------------------------------------------------------*/
static void
what_an_application_registered_is_renewed(void)
{
  unsigned least = 10000, most = 0;
  uint16_t length;

  renew_after(800);
  CHECK(event_channel_advertise(TEMP, NULL));
  for(int times = 0; times < 500; times++) {
    unsigned wait = 0;

    while(host_sent_frames == seen) {
      host_pass(1);
      wait++;
    }
    length = registration(EVENT_SERVICE_ADVERTISE, SELF, TEMP, WITHOUT_TERMS);
    CHECK_SENT(REGISTRATION, PARENT, body, length);
    receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length);
    if(times > 1) { /* those after the first renewal */
      least = wait < least ? wait : least;
      most = wait > most ? wait : most;
    }
  }
  CHECK_EQUAL(event_service_renewal_counters.registrations_renewed, 499);
  CHECK_EQUAL(least, 800);
  CHECK_EQUAL(most, 900);

  /* Both parts of two events, of which one ends. */
  CHECK(event_channel_subscribe(TEMP, &consumer));
  host_pass(10);
  length = registration(EVENT_SERVICE_SUBSCRIBE, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length);
  while(host_sent_frames == seen) {
    host_pass(1);
  }
  length = registration(EVENT_SERVICE_ADVERTISE, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length);
  length = registration(EVENT_SERVICE_SUBSCRIBE, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length);
  CHECK_EQUAL(event_service_renewal_counters.registrations_renewed, 501);
  CHECK(event_channel_subscribe(TEMP, &consumer) && event_channel_subscribe(PRES, &consumer));
  CHECK(push_supplier_disconnect(TEMP));
  host_pass(10);
  length = registration(EVENT_SERVICE_SUBSCRIBE, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length);
  length = registration(EVENT_SERVICE_SUBSCRIBE, SELF, PRES, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length);
  length = registration(EVENT_SERVICE_DISCONNECT_SUPPLIER, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length);
  while(host_sent_frames == seen) {
    host_pass(1);
  }
  CHECK_EQUAL(event_service_renewal_counters.registrations_renewed, 503);
  CHECK_EQUAL(host_sent_frames, seen + 2);
  length = registration(EVENT_SERVICE_SUBSCRIBE, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
  length = registration(EVENT_SERVICE_SUBSCRIBE, SELF, PRES, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, PARENT, body, length);
}
/*---------------------------------------------------------------------------*/
static void
without_renewal_nothing_is_renewed_and_no_parent_sought(void)
{
  uint16_t length;

  renew_after(0);
  CHECK(event_channel_advertise(TEMP, NULL));
  host_pass(5000);
  CHECK(host_sent_frames > 30);
  length = registration(EVENT_SERVICE_ADVERTISE, SELF, TEMP, WITHOUT_TERMS);
  while(seen < host_sent_frames) {
    CHECK_SENT(REGISTRATION, PARENT, body, length);
  }
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length);
  host_pass(5000);
  CHECK_SILENT();
  CHECK_EQUAL(event_service_renewal_counters.parents_silent, 0);
}
/*---------------------------------------------------------------------------*/
/* Returns how long it took to the next ORPHAN. */
static unsigned
orphan_after(void)
{
  unsigned wait = 0;

  for(; ; wait++, host_pass(1)) {
    while(seen < host_sent_frames) {
      if(host_sent[seen++ % 256].bytes[0] == PUBSUB_FRAME_FIRST(PUBSUB_FRAME_ORPHAN)) {
        CHECK_EQUAL(host_next_hop((seen - 1) % 256), PUBSUB_EVERYBODY);
        CHECK_EQUAL(host_sent[(seen - 1) % 256].length, PUBSUB_FRAME_HEADER_SIZE);
        return wait;
      }
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
a_silent_parent_s_child_is_adopted(void)
{
  static const unsigned waits[] = { 100, 200, 400, 800, 1000, 1000, 1000 };
  uint16_t length;
  unsigned silent;

  renew_after(1000);
  receive(PUBSUB_FRAME_ADOPTION, OTHER, NULL, 0); /* it needs none */
  CHECK_EQUAL(event_service_place.parent, PARENT);
  CHECK(event_channel_advertise(TEMP, NULL));
  CHECK(event_channel_subscribe(PRES, &consumer));
  silent = orphan_after();
  CHECK_EQUAL(event_service_counters.registrations_sent, 2 * (EVENT_SERVICE_TRIES + 1) - 1); /* one has had all its tries */
  CHECK(silent >= EVENT_SERVICE_TRIES * 100 && silent <= 10 + EVENT_SERVICE_TRIES * 150);
  for(unsigned i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) { /* each waits by chance up to half of it longer */
    unsigned wait = orphan_after();

    CHECK(wait >= waits[i] && wait <= waits[i] + waits[i] / 2);
  }
  CHECK_EQUAL(event_service_renewal_counters.parents_silent, 1);
  receive(PUBSUB_FRAME_ADOPTION, OTHER, (const uint8_t *)"\1", 1);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 1);
  CHECK_EQUAL(event_service_place.parent, PARENT);
  seen = host_sent_frames;
  receive(PUBSUB_FRAME_ADOPTION, OTHER, NULL, 0);
  receive(PUBSUB_FRAME_ADOPTION, OTHER + 1, NULL, 0);
  CHECK_EQUAL(event_service_place.parent, OTHER);
  CHECK_EQUAL(event_service_renewal_counters.parents_found, 1);
  CHECK_SILENT();
  host_pass(10);
  length = registration(EVENT_SERVICE_ADVERTISE, SELF, TEMP, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, OTHER, body, length);
  receive(PUBSUB_FRAME_REGISTERED, PARENT, body, length); /* the old one's comes too late */
  receive(PUBSUB_FRAME_REGISTERED, OTHER, body, length);
  CHECK_SILENT();
  host_pass(10);
  length = registration(EVENT_SERVICE_SUBSCRIBE, SELF, PRES, WITHOUT_TERMS);
  CHECK_SENT(REGISTRATION, OTHER, body, length);
  CHECK_EQUAL(event_service_counters.registrations_acknowledged, 1);
  /* The new one is silent, too. */
  orphan_after();
  CHECK_EQUAL(event_service_renewal_counters.parents_silent, 2);
  receive(PUBSUB_FRAME_REGISTERED, OTHER, body, length);
  seen = host_sent_frames;
  receive(PUBSUB_FRAME_ADOPTION, PARENT, NULL, 0); /* and was heard before another one answered */
  CHECK_EQUAL(event_service_place.parent, OTHER);
}
/*---------------------------------------------------------------------------*/
static void
a_start_anew_ends_the_search_and_renewals(void)
{
  renew_after(1000);
  CHECK(event_channel_advertise(TEMP, NULL));
  orphan_after();
  start(leaf);
  seen = host_sent_frames;
  host_pass(10000);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
a_parent_that_adopts_its_child_again_stays_it(void)
{
  renew_after(1000);
  CHECK(event_channel_advertise(TEMP, NULL));
  orphan_after();
  receive(PUBSUB_FRAME_ADOPTION, PARENT, NULL, 0);
  CHECK_EQUAL(event_service_place.parent, PARENT);
  CHECK_EQUAL(event_service_renewal_counters.parents_found, 0);
  seen = host_sent_frames;
  host_pass(10);
  CHECK_EQUAL(host_sent_frames, seen + 1);
}
/*---------------------------------------------------------------------------*/
static void
base_stations_adopt(void)
{
  start(leaf);
  receive(PUBSUB_FRAME_ORPHAN, OTHER, NULL, 0);
  CHECK_SILENT();
  start(base);
  receive(PUBSUB_FRAME_ORPHAN, OTHER, (const uint8_t *)"\1", 1);
  CHECK_SILENT();
  CHECK_EQUAL(pubsub_counters.packets_malformed, 1);
  receive(PUBSUB_FRAME_ORPHAN, OTHER, NULL, 0);
  CHECK_SENT(ADOPTION, OTHER, NULL, 0);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
/* At 999 bit/s, bytes of ten bits, and five bytes around each frame. */
static void
frames_to_the_gateway_take_the_line_s_time(void)
{
  uint16_t length = event_of(TEMP, 1, 2);
  unsigned ms = ((PUBSUB_FRAME_HEADER_SIZE + length + 5) * 10 * 1000 + 998) / 999;
  uint8_t longest[PUBSUB_FRAME_SIZE];

  start(base);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  host_pass(50);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length); /* waits for the first one's end */
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
  host_pass(2 * ms - 51);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  CHECK(!event_service_send(PUBSUB_FRAME_PUSH, OTHER, event_bytes, length, NULL)); /* nor is there room for the radio */
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
  CHECK_EQUAL(event_service_counters.send_buffer_full, 2);
  host_pass(1);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 4);
  CHECK_EQUAL(event_service_counters.send_buffer_full, 3);
  host_pass(1000);
  CHECK(!event_service_uart_send(PUBSUB_FRAME_PUSH, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE + 1));
  CHECK(!event_service_send(PUBSUB_FRAME_PUSH, OTHER, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE + 1, NULL));
  CHECK_EQUAL(event_service_counters.send_buffer_full, 3);
  memset(longest, 7, sizeof(longest));
  CHECK(event_service_send(PUBSUB_FRAME_PUSH, OTHER, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE, NULL));
  CHECK_SENT(PUSH, OTHER, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE);
  CHECK(event_service_uart_send(PUBSUB_FRAME_PUSH, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE));
}
/*---------------------------------------------------------------------------*/
static void
as_many_frames_are_under_way_as_there_are_buffers(void)
{
  uint16_t length = event_of(TEMP, 1, 2);

  host_link_waits = true;
  start(leaf);
  for(int anew = 0; anew < 3; anew++) {
    for(int frames = 1; frames <= 3; frames++) {
      receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
      CHECK_EQUAL(host_sent_frames - seen, frames < 3 ? frames : 2);
    }
    seen = host_sent_frames;
    CHECK_EQUAL(event_service_counters.send_buffer_full, anew + 1);
    if(anew == 1) {
      start(leaf); /* while frames are under way, of which it knows nothing then */
    }
    host_link_finish();
  }
}
/*---------------------------------------------------------------------------*/
static void
a_registration_for_the_gateway_waits_for_the_line(void)
{
  uint16_t length = event_of(TEMP, 1, 2);

  start(base);
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, WITHOUT_TERMS));
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  host_pass(500);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
  host_pass(100);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 3);
  host_pass(2000);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 3);
  CHECK_EQUAL(event_service_counters.registrations_sent, 0);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
says(struct process *process, const char *line)
{
  process_post_synch(process, serial_line_event_message, (void *)line);
}
/*---------------------------------------------------------------------------*/
/* The line of a frame with this body. */
static const char *
line_of(uint8_t first, const uint8_t *bytes, uint16_t length)
{
  static char line[2 * PUBSUB_FRAME_SIZE + 20];
  char *at = line + sprintf(line, "#%02x020005000100", first);

  for(unsigned i = 0; i < length; i++) {
    at += sprintf(at, "%02x", bytes[i]);
  }
  return line;
}
/*---------------------------------------------------------------------------*/
static void
the_gateway_s_lines_are_read(void)
{
  uint8_t longest[PUBSUB_FRAME_SIZE + 1] = { 0 };
  unsigned wrong = 0;
  uint16_t length;
  char line[500];

  start(base);
  CHECK(event_channel_subscribe(TEMP, &consumer));
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS));
  length = DELIVERY(TEMP, SELF, CHILD);
  strcpy(line, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_DELIVERY), delivery_bytes, length));
  process_post_synch(&event_service_process, serial_line_event_message, NULL);
  process_post_synch(&event_service_process, PROCESS_EVENT_POLL, line);
  CHECK_EQUAL(consumed, 0);
  says(&event_service_process, line);
  CHECK_EQUAL(consumed, 1);
  CHECK_EQUAL(consumed_from, SELF);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 0);
  length = DELIVERY(TEMP, CHILD);
  CHECK_SENT(DELIVERY, PUBSUB_EVERYBODY, delivery_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_received, 1);
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 0);

  says(&event_service_process, line + 1); /* no frame at all, but what somebody typed */
  says(&event_service_process, "");
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 0);
  for(size_t cut = 1; cut < strlen(line); cut++) {
    char part[500];

    memcpy(part, line, cut);
    part[cut] = '\0';
    says(&event_service_process, part);
    CHECK_EQUAL(event_service_counters.uart_frames_malformed, ++wrong);
  }
  strcat(line, "0");
  says(&event_service_process, line);
  line[10] = 'x';
  says(&event_service_process, line);
  length = DELIVERY(TEMP, SELF, CHILD);
  says(&event_service_process, line_of(0x0c, delivery_bytes, length)); /* of other versions of the header */
  says(&event_service_process, line_of(0x30, delivery_bytes, length));
  says(&event_service_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_PUSH), delivery_bytes, length));
  says(&event_service_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_DELIVERY), longest,
                                       PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE + 1));
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, wrong += 6);
  CHECK_EQUAL(consumed, 1);
  CHECK_SILENT();
  {
    uint8_t type = 0, read[PUBSUB_FRAME_SIZE];

    CHECK(event_service_uart_read(line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_TYPES - 1), longest,
                                          PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE), &type, read, &length));
    CHECK_EQUAL(type, PUBSUB_FRAME_TYPES - 1);
    CHECK_EQUAL(length, PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE);
    CHECK(event_service_uart_read(line_of(PUBSUB_FRAME_FIRST(0), NULL, 0), &type, read, &length));
    CHECK_EQUAL(length, 0);
  }
}
/*---------------------------------------------------------------------------*/
static unsigned instructions;
static struct event_service_instruction instruction;

static void
follow(const struct event_service_instruction *i)
{
  instructions++;
  instruction = *i;
}
/*---------------------------------------------------------------------------*/
static void
instructions_are_followed_once_each(void)
{
  struct event_service_instruction i = { 7, SELF, EVENT_SERVICE_INSTRUCT_PUSH, 300, TEMP };
  uint8_t bytes[EVENT_SERVICE_INSTRUCTION_SIZE + 1] = { 0 };

  start(leaf);
#define INSTRUCT() do { \
    event_service_instruction_encode(&i, bytes); \
    receive(PUBSUB_FRAME_INSTRUCTION, OTHER, bytes, EVENT_SERVICE_INSTRUCTION_SIZE); \
  } while(0)
  INSTRUCT(); /* nobody follows them */
  event_service_instructed_set(follow);
  i.target = CHILD;
  INSTRUCT();
  CHECK_EQUAL(instructions, 0);
  i.target = SELF;
  INSTRUCT();
  INSTRUCT(); /* a repeat */
  CHECK_EQUAL(instructions, 1);
  CHECK(instruction.number == 7 && instruction.code == EVENT_SERVICE_INSTRUCT_PUSH && instruction.interval == 300
        && instruction.event == TEMP && instruction.target == SELF);
  i.number++;
  INSTRUCT();
  CHECK_EQUAL(instructions, 2);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 0);
  i.number++;
  for(int code = 0; code < 256; code++) {
    i.code = code;
    if(code < EVENT_SERVICE_INSTRUCT_ADVERTISE || code > EVENT_SERVICE_INSTRUCT_INTERVAL) {
      INSTRUCT();
    }
  }
  CHECK_EQUAL(pubsub_counters.packets_malformed, 252);
  i.code = EVENT_SERVICE_INSTRUCT_ADVERTISE;
  i.target = PUBSUB_NOBODY;
  INSTRUCT();
  i.target = PUBSUB_SEVERAL;
  INSTRUCT();
  i.target = SELF;
  event_service_instruction_encode(&i, bytes);
  receive(PUBSUB_FRAME_INSTRUCTION, OTHER, bytes, EVENT_SERVICE_INSTRUCTION_SIZE - 1);
  receive(PUBSUB_FRAME_INSTRUCTION, OTHER, bytes, EVENT_SERVICE_INSTRUCTION_SIZE + 1);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 256);
  CHECK_EQUAL(instructions, 2);
  INSTRUCT();
  i.code = EVENT_SERVICE_INSTRUCT_INTERVAL;
  i.number++;
  INSTRUCT();
  CHECK_EQUAL(instructions, 4);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
/* Each of its commands, three times, 50 ms apart; while it says one it hears no other. */
static void
the_instructor_repeats_itself(void)
{
  struct event_service_instruction expected = { 1, 4, EVENT_SERVICE_INSTRUCT_ADVERTISE, 0, TEMP };
  uint8_t bytes[EVENT_SERVICE_INSTRUCTION_SIZE];

  pubsub_init(SELF, 0, &tree);
  event_service_instructor_start(SELF);
  for(int command = 0; command < 2; command++) {
    says(&event_service_instructor_process, "-4-10-temp-");
    event_service_instruction_encode(&expected, bytes);
    for(int times = 0; times < EVENT_SERVICE_INSTRUCTION_TIMES; times++) {
      CHECK_SENT(INSTRUCTION, PUBSUB_EVERYBODY, bytes, sizeof(bytes));
      host_pass(49);
      CHECK_SILENT();
      says(&event_service_instructor_process, "-4-11-temp-");
      CHECK_SILENT();
      host_pass(1);
    }
    CHECK_SILENT();
    says(&event_service_instructor_process, "-4-11-temp");
    CHECK_SILENT();
    expected.number++;
  }
  says(&event_service_instructor_process, "-65533-13-65535-");
  expected = (struct event_service_instruction){ 3, 65533, EVENT_SERVICE_INSTRUCT_INTERVAL, 65535, 0 };
  event_service_instruction_encode(&expected, bytes);
  CHECK_SENT(INSTRUCTION, PUBSUB_EVERYBODY, bytes, sizeof(bytes));
}
/*---------------------------------------------------------------------------*/
static void
commands_are_read_to_the_end(void)
{
  static const char *const none[] = {
    "", "4-10-temp-", "-4-10-temp", "-4-10--", "-4-10-temp-x", "-4-10-te,p-", "-4-10-te p-", "-4-10-ninechars-",
    "-4-10-te\177-", "-0-10-temp-", "-65534-10-temp-", "-4-9-temp-", "-4-14-temp-", "-4-13-0-", "-4-13-65536-", "-4-13--",
    "-4-13-temp-", "--10-temp-", "-4--temp-", "-x-10-temp-", "-4x10-temp-", "-4-13-5", "-4-13-5-x", "-4-13-4294967297-", "-4"
  };
  static const struct {
    const char *line;
    struct event_service_instruction read;
  } some[] = {
    { "-1-10-temp-", { 0, 1, 10, 0, 0 } }, { "-65533-12-!~-", { 0, 65533, 12, 0, 0 } },
    { "-09-11-eightchr-", { 0, 9, 11, 0, 0 } }, { "-4-13-1-", { 0, 4, 13, 1, 0 } }, { "-4-13-65535-", { 0, 4, 13, 65535, 0 } }
  };
  static const char *const names[] = { "temp", "!~", "eightchr", "", "" };
  struct event_service_instruction read = { 99, 0, 0, 0, 0 };

  for(unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
    CHECK(!event_service_instructor_read(none[i], &read));
    CHECK(read.target == 0 && read.code == 0);
  }
  for(unsigned i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
    CHECK(event_service_instructor_read(some[i].line, &read));
    CHECK_EQUAL(read.number, 99);
    CHECK_EQUAL(read.target, some[i].read.target);
    CHECK_EQUAL(read.code, some[i].read.code);
    CHECK_EQUAL(read.interval, some[i].read.interval);
    CHECK_EQUAL(read.event, pubsub_subject(names[i]));
  }
}
/*---------------------------------------------------------------------------*/
static unsigned refusals, refused_reasons;
static uint16_t refused_supplier;
static pubsub_subject_t refused_event;

static void
refused(pubsub_subject_t event, uint16_t mote, uint8_t reasons)
{
  refusals++;
  refused_event = event;
  refused_supplier = mote;
  refused_reasons = reasons;
}
/*---------------------------------------------------------------------------*/
static void
a_refusal_says_the_event_the_supplier_and_the_reasons(void)
{
  struct event_service_delivery delivery = {
    1, { SELF }, { .subject = pubsub_subject("!refused"), .contributors = 1, .contributor = { { 1, 1, 0 } }, .length = 11,
                   .data = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0x1f, 0 } }
  };
  uint8_t bytes[PUBSUB_FRAME_SIZE];
  uint16_t length;

  start(leaf);
  CHECK(event_terms_on_refusal(refused));
  for(int more = -1; more <= 1; more++) {
    delivery.event.length = 11 + more;
    length = event_service_delivery_encode(&delivery, bytes, sizeof(bytes));
    receive(PUBSUB_FRAME_DELIVERY, PARENT, bytes, length);
    CHECK_EQUAL(refusals, more >= 0);
  }
  CHECK_EQUAL(refused_event, 0x0807060504030201);
  CHECK_EQUAL(refused_supplier, 0x0109);
  CHECK_EQUAL(refused_reasons, 0x1f);
}
/*---------------------------------------------------------------------------*/
static void
terms_are_found(void)
{
  static const uint8_t some[] = { 1, 1, 9, 5, 2, 8, 7, 6, 0, 8, 1, 1 };
  static const uint8_t gap[] = { 7, 33 };
  uint8_t size = 99, longest[34] = { 7, 32 };

  CHECK(event_terms_are(some, sizeof(some)) && event_terms_are(some, 0) && event_terms_are(some, 3));
  for(uint8_t cut = 1; cut < sizeof(some); cut++) {
    CHECK_EQUAL(event_terms_are(some, cut), cut == 3 || cut == 7 || cut == 9);
  }
  CHECK(event_terms_are(longest, 34) && !event_terms_are(gap, 2));
  CHECK(event_terms_find(some, sizeof(some), 1, &size) == some + 2 && size == 1);
  CHECK(event_terms_find(some, sizeof(some), 5, &size) == some + 5 && size == 2);
  CHECK(event_terms_find(some, sizeof(some), 6, &size) == some + 9 && size == 0);
  CHECK(event_terms_find(some, sizeof(some), 8, &size) == some + 11 && size == 1);
  CHECK(event_terms_find(some, sizeof(some), 7, &size) == NULL);
  CHECK(event_terms_find(some, 9, 8, &size) == NULL);
  CHECK(event_terms_find(some, 0, 1, &size) == NULL);
  /* A condition that is damaged wants nothing. */
  CHECK(event_terms_want(some, sizeof(some), some, 1));
  CHECK(event_terms_want((const uint8_t *)"\7\3\x42\0\5", 5, (const uint8_t *)"\6", 1));
  CHECK(!event_terms_want((const uint8_t *)"\7\3\x42\0\5", 5, (const uint8_t *)"\5", 1));
  CHECK(!event_terms_want((const uint8_t *)"\7\2\x42\0", 4, (const uint8_t *)"\6", 1));
}
/*---------------------------------------------------------------------------*/
static void
start_bridge(bool wanted, uint8_t buffers)
{
  struct event_service_place place = base;

  place.send_buffer = buffers;
  pubsub_init(SELF, 3, &tree);
  CHECK(pubsub_bridge_start(&place, TEMP, wanted));
}
/*---------------------------------------------------------------------------*/
static void
a_bridge_hands_up_the_board_s_events_and_takes_the_others(void)
{
  uint8_t aggregate[PUBSUB_FRAME_SIZE];
  uint16_t length;
  struct pubsub_event made;

  start_bridge(false, 1);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 0);
  length = event_of(PRES, 1, 2);
  receive(PUBSUB_FRAME_EVENT, CHILD, event_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 0);
  length = event_of(TEMP, 1, 2);
  receive(PUBSUB_FRAME_EVENT, CHILD, event_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  host_pass(2000);

  /* From the gateway: to this board's subscribers, and not up again. */
  CHECK_EQUAL(pubsub_counters.events_delivered, 1);
  says(&pubsub_bridge_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_EVENT), event_bytes, length));
  CHECK_EQUAL(pubsub_counters.events_delivered, 2);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  CHECK_EQUAL(event_service_counters.uart_frames_received, 1);
  receive(PUBSUB_FRAME_EVENT, CHILD, event_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);

  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 0);
  says(&pubsub_bridge_process, "temp");
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 0);
  says(&pubsub_bridge_process, "#11");
  says(&pubsub_bridge_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_PUSH), event_bytes, length));
  says(&pubsub_bridge_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_EVENT), event_bytes, length - 1));
  length = event_of(PRES, 1, 2);
  says(&pubsub_bridge_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_EVENT), event_bytes, length));
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 4);
  CHECK_EQUAL(pubsub_counters.events_delivered, 3);
  process_post_synch(&pubsub_bridge_process, serial_line_event_message, NULL);
  process_post_synch(&pubsub_bridge_process, PROCESS_EVENT_POLL, (void *)"#11");
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 4);

  /* An aggregate is handed up as it is. */
  made = host_make(TEMP, 1, 2, (const struct pubsub_contributor[]){ { 1, 1 }, { 2, 1 } });
  made.flags = 0;
  length = pubsub_event_encode(&made, aggregate, sizeof(aggregate));
  host_pass(2000);
  receive(PUBSUB_FRAME_EVENT, CHILD, aggregate, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 3);
}
/*---------------------------------------------------------------------------*/
static void
a_bridge_that_wants_events_subscribes(void)
{
  start_bridge(true, 1);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  host_pass(10000);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  start_bridge(true, 0); /* there is no buffer, until there is */
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  host_pass(9);
  CHECK_EQUAL(event_service_counters.send_buffer_full, 1);
  host_pass(1);
  CHECK_EQUAL(event_service_counters.send_buffer_full, 2);
  event_service_place.send_buffer = 1;
  host_pass(10);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
  host_pass(10000);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_registration_goes_up_until_the_parent_has_it),
    T(a_repeat_comes_after_the_time_and_up_to_half_of_it),
    T(as_many_requests_wait_as_there_is_room_for),
    T(a_start_anew_forgets_requests),
    T(what_a_request_waits_for_is_the_later_one),
    T(a_registration_that_is_none_is_malformed),
    T(deliveries_go_to_who_is_below_and_to_this_mote),
    T(a_delivery_that_is_none_is_malformed),
    T(pushes_go_up),
    T(a_base_station_with_a_table_knows_who_subscribed),
    T(tables_have_an_end),
    T(channels_of_an_application),
    T(subjects_are_bound_while_there_is_room),
    T(pushes_have_identifiers_hop_by_hop),
    T(who_lost_a_binding_gets_the_whole_subject),
    T(deliveries_with_an_identifier_are_for_their_consumers),
    T(what_an_application_registered_is_renewed),
    T(without_renewal_nothing_is_renewed_and_no_parent_sought),
    T(a_silent_parent_s_child_is_adopted),
    T(a_start_anew_ends_the_search_and_renewals),
    T(a_parent_that_adopts_its_child_again_stays_it),
    T(base_stations_adopt),
    T(frames_to_the_gateway_take_the_line_s_time),
    T(as_many_frames_are_under_way_as_there_are_buffers),
    T(a_registration_for_the_gateway_waits_for_the_line),
    T(the_gateway_s_lines_are_read),
    T(instructions_are_followed_once_each),
    T(the_instructor_repeats_itself),
    T(commands_are_read_to_the_end),
    T(a_refusal_says_the_event_the_supplier_and_the_reasons),
    T(terms_are_found),
    T(a_bridge_hands_up_the_board_s_events_and_takes_the_others),
    T(a_bridge_that_wants_events_subscribes),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
