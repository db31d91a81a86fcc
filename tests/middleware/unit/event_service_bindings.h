/* SPDX-License-Identifier: Apache-2.0 */
/* Short identifiers of subjects, hop by hop. */
#ifndef UNIT_EVENT_SERVICE_BINDINGS_H_
#define UNIT_EVENT_SERVICE_BINDINGS_H_

#include "event_service_node.h"

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

#endif
