/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The motes of the event service thesis: base stations, inner motes, leaves that supply and
 * consume events, and the instructor. README.md explains.
 */
#include <stdio.h>
#include "contiki.h"
#include "net/netstack.h"
#include "configured-routes.h"
#include "eeprom-fields.h"
#include "event-channel.h"
#include "event-fragments.h"
#include "event-service.h"
#include "event-service-instructor.h"
#include "event-terms.h"
#include "event-types.h"
#include "identity.h"
#include "measuring.h"
#include "power-loss.h"
#include "pubsub-bridge.h"
#include "pubsub-counters.h"
#include "supplier.h"

/* The motes print one after the other, then the instructor says that the run has ended. */
#define DUMP_SLOT_MS 50
#define DUMP_SLOTS 32
#define DUMP_ALL_MS (DUMP_SLOT_MS * DUMP_SLOTS + 3000)

/* Without an instructor, consumers subscribe this long after the boot. */
#define SUBSCRIBE_MS 1000

static struct eeprom_fields fields;
static uint32_t damaged; /* events that were put together and are others than were pushed */

PROCESS(event_service_app_process, "Event service's application");
AUTOSTART_PROCESSES(&identity_process, &event_service_app_process);
/*---------------------------------------------------------------------------*/
static bool
is_instructor(void)
{
  return fields.mote == fields.instructor;
}
/*---------------------------------------------------------------------------*/
/* Chapter 5: only leaves supply and consume. */
static bool
may_take_part(void)
{
  bool leaf = fields.parent != PUBSUB_NOBODY && fields.neighbours_count == 1;

  if(!leaf && !fields.anybody) {
    printf("event-service: only leaves supply and consume; `anybody: true` lets any mote\n");
  }
  return leaf || fields.anybody;
}
/*---------------------------------------------------------------------------*/
/* The k-th supplier or consumer has the k-th event, modulo the number of events. */
static pubsub_subject_t
event_of(uint8_t place)
{
  static const char *const names[] = { "temp", "pres", "humi", "light" };

  return pubsub_subject(names[(place - 1) % fields.events]);
}
/*---------------------------------------------------------------------------*/
/* The name that the event's id was made from. */
static const char *
name_of(pubsub_subject_t event)
{
  static char name[9];
  unsigned i;

  for(i = 0; i < 8; i++) {
    name[i] = (char)(event >> (56 - 8 * i));
  }
  return name;
}
/*---------------------------------------------------------------------------*/
/* What push_one() of supplier.c made: each byte is one more than that before. */
static void
whole(pubsub_subject_t event, uint8_t publisher, const uint8_t *data, uint16_t length)
{
  uint16_t i;

  for(i = 1; i < length && data[i] == (uint8_t)(data[i - 1] + 1); i++);
  if(length != fields.size || i < length) {
    damaged++;
  }
}
/*---------------------------------------------------------------------------*/
/* The record `dlv` is all that is done with it, unless it is a fragment. */
static void
arrived(const struct pubsub_event *event, uint16_t from)
{
  if(fields.size > 0) {
    event_fragments_take(event, whole);
  }
}
/*---------------------------------------------------------------------------*/
static void
refused(const char *call)
{
  printf("event-service: %s was refused\n", call);
}
/*---------------------------------------------------------------------------*/
static void
subscribe(pubsub_subject_t event)
{
  static const struct push_consumer consumer = { arrived, NULL };
  uint8_t terms[EVENT_SERVICE_TERMS];
  uint8_t i;

  if(!may_take_part()) {
    return;
  }
  for(i = 0; i < sizeof(terms) && i < fields.asked_count; i++) {
    terms[i] = eeprom_fields_asked(i);
  }
  if(!event_channel_subscribe_with(event, &consumer, terms, i)) {
    refused("subscribe");
    return;
  }
  /* Who asks for some of the events isn't owed all of them, which `sub` would say. */
  if(i == 0) {
    printf("!sub,%s,0\n", name_of(event));
  }
}
/*---------------------------------------------------------------------------*/
static void
advertise(pubsub_subject_t event)
{
  uint8_t terms[EVENT_SERVICE_TERMS];
  uint8_t i;

  for(i = 0; i < sizeof(terms) - 3 && i < fields.offered_count; i++) {
    terms[i] = eeprom_fields_offered(i);
  }
  if(i > 0) {
    terms[i++] = EVENT_TERMS_SUPPLIER;
    terms[i++] = 1;
    terms[i++] = fields.supplier;
  }
  if(may_take_part() && !event_channel_advertise_with(event, NULL, terms, i)) {
    refused("advertise");
  }
}
/*---------------------------------------------------------------------------*/
/* A gateway says that a subscription of ours and mote `supplier`'s publication don't agree. */
static void
disagreed(pubsub_subject_t event, uint16_t supplier, uint8_t reasons)
{
  printf("event-service: subscribed to %s, refuses mote %u:%s%s%s%s%s\n", name_of(event), supplier,
         reasons & EVENT_TERMS_OTHER_TYPE ? " type" : "",
         reasons & EVENT_TERMS_OTHER_PERIOD ? " period" : "",
         reasons & EVENT_TERMS_OTHER_DEADLINE ? " deadline" : "",
         reasons & EVENT_TERMS_OTHER_OMISSION ? " omission" : "",
         reasons & EVENT_TERMS_OTHER_TTL ? " ttl" : "");
}
/*---------------------------------------------------------------------------*/
static void
instructed(const struct event_service_instruction *instruction)
{
  switch(instruction->code) {
  case EVENT_SERVICE_INSTRUCT_ADVERTISE:
    advertise(instruction->event);
    break;
  case EVENT_SERVICE_INSTRUCT_SUBSCRIBE:
    subscribe(instruction->event);
    break;
  case EVENT_SERVICE_INSTRUCT_INTERVAL:
    fields.interval_ms = instruction->interval;
    break;
  default:
    supplier_push(instruction->event, &fields);
  }
}
/*---------------------------------------------------------------------------*/
static const char *
configure(void)
{
  const char *fault = NULL;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  configured_routes_set(fields.parent);
  if(!configured_routes_add_neighbours(fields.neighbours_count, eeprom_fields_neighbours)) {
    fault = "more neighbours than this firmware has room for";
  }
  configured_routes_add_neighbour(fields.instructor);
  if(fields.events == 0 || fields.size > EVENT_FRAGMENTS_SIZE || fields.uart_rate == 0 || fields.interval_ms == 0) {
    fault = "the EEPROM image holds a value out of range";
  }
  return fault;
}
/*---------------------------------------------------------------------------*/
static bool
no_events(const struct pubsub_event *event, uint16_t from)
{
  return true;
}
/*---------------------------------------------------------------------------*/
/* The record `dlv` is all that is done with it. */
static void
bridged_arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
}
/*---------------------------------------------------------------------------*/
static bool
is_anybody(uint16_t mote)
{
  return true;
}
/*---------------------------------------------------------------------------*/
/* A board that runs the publish/subscribe middleware, and its base station the bridge. */
static void
start_bridged(const struct event_service_place *place)
{
  pubsub_subject_t subject = event_of(1);

  pubsub_init(fields.mote, fields.supplier, &configured_routes);
  if(is_instructor()) {
    return; /* it only says when the run ends */
  }
  NETSTACK_RADIO.set_value(RADIO_PARAM_TXPOWER, fields.power);
  if(fields.supplier != 0) {
    supplier_bridge(pubsub_announce(subject, NULL));
  }
  if(fields.parent != PUBSUB_NOBODY) {
    return;
  }
  if(!pubsub_bridge_start(place, subject, fields.consumer != 0)
     || (fields.consumer != 0
         && pubsub_subscribe(subject, bridged_arrived, NULL, NULL) == NULL)) {
    refused("bridging");
  }
}
/*---------------------------------------------------------------------------*/
static void
start(void)
{
  static struct pubsub_routing_driver routes;
  const struct event_service_place place = {
    .mote = fields.mote, .parent = fields.parent, .publisher = fields.supplier,
    .tables_here = fields.tables == EEPROM_FIELDS_TABLES_BASE_STATION,
    .send_buffer = fields.send_buffer, .retry = pubsub_ticks(fields.retry_ms),
    .uart_rate = fields.uart_rate, .identifiers = fields.identifiers,
    .renewal = pubsub_ticks(fields.renewal_ms)
  };

  if(fields.bridged) {
    start_bridged(&place);
    return;
  }
  routes = configured_routes;
  if(fields.renewal_ms > 0) {
    /* Another base station can adopt it; frames name who they are for. */
    routes.is_neighbour = is_anybody;
  }
  pubsub_routing_init(fields.mote, &routes, no_events);
  if(is_instructor()) {
    event_service_instructor_start(fields.mote);
    return;
  }
  NETSTACK_RADIO.set_value(RADIO_PARAM_TXPOWER, fields.power);
  event_service_init(&place);
  event_fragments_init();
  event_service_instructed_set(instructed);
  if(fields.consumer != 0 && fields.asked_count > 0
     && !event_terms_on_refusal(disagreed)) {
    refused("hearing of refusals");
  }
}
/*---------------------------------------------------------------------------*/
/* Of a mote that is dead for good. */
static void
last_words(void)
{
  measuring_end();
  measuring_dump(&fields, damaged);
  process_exit(&event_service_app_process);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(event_service_app_process, ev, data)
{
  static struct etimer timer, end;
  const char *fault;

  PROCESS_BEGIN();

  fault = configure();
  if(fault != NULL) {
    printf("event-service: %s\n", fault);
    PROCESS_EXIT();
  }
  start();
  etimer_set(&end, pubsub_ticks(fields.warm_up_ms));
  if(fields.start == EEPROM_FIELDS_START_AT_ONCE && fields.consumer != 0) {
    etimer_set(&timer, pubsub_ticks(SUBSCRIBE_MS));
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    if(!fields.bridged) {
      subscribe(event_of(fields.consumer));
    } else if(fields.parent == PUBSUB_NOBODY) {
      printf("!sub,%s,0\n", name_of(event_of(1)));
    }
  }
  PROCESS_WAIT_UNTIL(etimer_expired(&end));
  measuring_begin(fields.trace);
  if(fields.killed != 0) {
    power_loss_plan(fields.kill_at_ms, fields.revive_after_ms, start, last_words);
  }
  if(fields.start == EEPROM_FIELDS_START_AT_ONCE && fields.supplier != 0) {
    if(!fields.bridged) {
      advertise(event_of(fields.supplier));
    }
    supplier_push(event_of(fields.supplier), &fields);
  }
  etimer_set(&timer, pubsub_ticks(fields.duration_ms));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  supplier_stop();
  etimer_set(&timer, pubsub_ticks(fields.drain_ms));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  measuring_end();
  etimer_set(&timer, pubsub_ticks(DUMP_SLOT_MS * (fields.mote % DUMP_SLOTS)));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  measuring_dump(&fields, damaged);
  if(is_instructor()) {
    etimer_set(&timer, pubsub_ticks(DUMP_ALL_MS));
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    printf("!run,end,0\n");
  }

  PROCESS_END();
}
