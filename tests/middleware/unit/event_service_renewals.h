/* SPDX-License-Identifier: Apache-2.0 */
/* Registrations are renewed, and a silent parent is replaced. */
#ifndef UNIT_EVENT_SERVICE_RENEWALS_H_
#define UNIT_EVENT_SERVICE_RENEWALS_H_

#include "event_service_node.h"

/* A registration without terms has been sent to the parent, which acknowledges it. */
#define CHECK_REGISTERED(what, subject) do { \
    uint16_t registered = registration(what, SELF, subject, WITHOUT_TERMS); \
    CHECK_SENT(REGISTRATION, PARENT, body, registered); \
    receive(PUBSUB_FRAME_REGISTERED, PARENT, body, registered); \
  } while(0)

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
      CHECK(++wait < HANG);
    }
    CHECK_REGISTERED(EVENT_SERVICE_ADVERTISE, TEMP);
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
  CHECK_REGISTERED(EVENT_SERVICE_SUBSCRIBE, TEMP);
  await_frame();
  CHECK_REGISTERED(EVENT_SERVICE_ADVERTISE, TEMP);
  CHECK_REGISTERED(EVENT_SERVICE_SUBSCRIBE, TEMP);
  CHECK_EQUAL(event_service_renewal_counters.registrations_renewed, 501);
  CHECK(event_channel_subscribe(TEMP, &consumer) && event_channel_subscribe(PRES, &consumer));
  CHECK(push_supplier_disconnect(TEMP));
  host_pass(10);
  CHECK_REGISTERED(EVENT_SERVICE_SUBSCRIBE, TEMP);
  CHECK_REGISTERED(EVENT_SERVICE_SUBSCRIBE, PRES);
  CHECK_REGISTERED(EVENT_SERVICE_DISCONNECT_SUPPLIER, TEMP);
  await_frame();
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
    CHECK(wait < HANG);
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
a_renewal_of_one_tick_is_one_too(void)
{
  renew_after(1);
  CHECK(event_channel_advertise(TEMP, NULL));
  host_pass(5);
  CHECK_EQUAL(event_service_renewal_counters.registrations_renewed, 5);
  orphan_after();
  CHECK_EQUAL(event_service_renewal_counters.parents_silent, 1);
  CHECK(orphan_after() >= 100); /* first after the time of a repeat */
  CHECK_EQUAL(orphan_after(), 1); /* then as often as it renews */
  CHECK_EQUAL(orphan_after(), 1);
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

#endif
