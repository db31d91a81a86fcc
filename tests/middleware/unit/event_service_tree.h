/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries, pushes, the table of a base station, and the channels of an application. */
#ifndef UNIT_EVENT_SERVICE_TREE_H_
#define UNIT_EVENT_SERVICE_TREE_H_

#include "event_service_node.h"

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

#endif
