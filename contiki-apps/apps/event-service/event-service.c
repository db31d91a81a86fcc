/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event service thesis's motes: base stations, motes between, leaves that
 * supply and consume events, and the instructor. README.md explains.
 */
#include <stdio.h>
#include "contiki.h"
#include "net/netstack.h"
#include "configured-routes.h"
#include "counters-dump.h"
#include "eeprom-fields.h"
#include "energy-states.h"
#include "event-channel.h"
#include "event-service.h"
#include "event-service-instructor.h"
#include "event-trace.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"

/* The motes print one after the other, then the instructor says that this was all. */
#define DUMP_SLOT_MS 50
#define DUMP_SLOTS 32
#define DUMP_ALL_MS (DUMP_SLOT_MS * DUMP_SLOTS + 3000)

/* Without an instructor consumers subscribe so long after the boot. */
#define SUBSCRIBE_MS 1000

static struct eeprom_fields fields;
static struct pubsub_counters counters;
static pubsub_subject_t pushed_event;

PROCESS(event_service_app_process, "Event service's application");
PROCESS(event_service_supplier_process, "Supplier");
AUTOSTART_PROCESSES(&event_service_app_process);
/*---------------------------------------------------------------------------*/
static clock_time_t
ticks(uint32_t ms)
{
  return (clock_time_t)((uint64_t)ms * CLOCK_SECOND / 1000);
}
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
/* The k-th supplier or consumer has the k-th event, counted round. */
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
/* The record `dlv` is all that is made of it. */
static void
arrived(const struct pubsub_event *event, uint16_t from)
{
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

  if(!may_take_part()) {
    return;
  }
  if(!event_channel_subscribe(event, &consumer)) {
    refused("subscribe");
    return;
  }
  printf("!sub,%s,0\n", name_of(event));
}
/*---------------------------------------------------------------------------*/
static void
advertise(pubsub_subject_t event)
{
  if(may_take_part() && !event_channel_advertise(event, NULL)) {
    refused("advertise");
  }
}
/*---------------------------------------------------------------------------*/
static void
push(pubsub_subject_t event)
{
  pushed_event = event;
  process_exit(&event_service_supplier_process);
  process_start(&event_service_supplier_process, NULL);
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
    push(instruction->event);
  }
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(event_service_supplier_process, ev, data)
{
  static struct etimer timer;
  static uint16_t left;
  uint8_t value[2];

  PROCESS_BEGIN();

  etimer_set(&timer, ticks(fields.interval_ms));
  for(left = fields.pushes; left > 0; left--) {
    pubsub_put16(value, left);
    if(!push_consumer_push(pushed_event, value, sizeof(value))) {
      refused("push");
      PROCESS_EXIT();
    }
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    etimer_reset(&timer); /* from the time it was due: delays don't add up */
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
static const char *
configure(void)
{
  const char *fault = NULL;
  unsigned i;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  configured_routes_set(fields.parent);
  for(i = 0; i < fields.neighbours_count; i++) {
    if(!configured_routes_add_neighbour(eeprom_fields_neighbours(i))) {
      fault = "more neighbours than this firmware has room for";
    }
  }
  configured_routes_add_neighbour(fields.instructor);
  if(fields.events == 0 || fields.uart_rate == 0 || fields.interval_ms == 0) {
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
static void
start(void)
{
  const struct event_service_place place = {
    .mote = fields.mote, .parent = fields.parent, .publisher = fields.supplier,
    .tables_here = fields.tables == EEPROM_FIELDS_TABLES_BASE_STATION,
    .send_buffer = fields.send_buffer, .retry = ticks(fields.retry_ms),
    .uart_rate = fields.uart_rate
  };

  pubsub_routing_init(fields.mote, &configured_routes, no_events);
  if(is_instructor()) {
    event_service_instructor_start(fields.mote);
    return;
  }
  NETSTACK_RADIO.set_value(RADIO_PARAM_TXPOWER, fields.power);
  event_service_init(&place);
  event_service_instructed_set(instructed);
}
/*---------------------------------------------------------------------------*/
static void
not_sent(const struct pubsub_event *event, uint16_t to, uint16_t frame)
{
}
/*---------------------------------------------------------------------------*/
static void
not_received(const struct pubsub_event *event, uint16_t from, uint16_t frame)
{
}
/*---------------------------------------------------------------------------*/
static void
not_dropped(const char *reason, uint16_t from, uint16_t frame)
{
}
/*---------------------------------------------------------------------------*/
/* Without a trace only what is published and what reaches a consumer. */
static void
begin_measuring(void)
{
  static struct pubsub_observer ends;

  energy_states_begin();
  pubsub_counters_start();
  event_trace_switch(true);
  if(!fields.trace) {
    ends = *pubsub_observer;
    ends.sent = not_sent;
    ends.received = not_received;
    ends.dropped = not_dropped;
    pubsub_observer = &ends;
  }
}
/*---------------------------------------------------------------------------*/
static void
dump(void)
{
  counters_dump(&counters);
#define DUMP_COUNTER(name) counters_dump_one(#name, event_service_counters.name);
  EVENT_SERVICE_COUNTERS(DUMP_COUNTER)
  energy_states_dump();
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
  etimer_set(&end, ticks(fields.warm_up_ms));
  if(fields.start == EEPROM_FIELDS_START_AT_ONCE && fields.consumer != 0) {
    etimer_set(&timer, ticks(SUBSCRIBE_MS));
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    subscribe(event_of(fields.consumer));
  }
  PROCESS_WAIT_UNTIL(etimer_expired(&end));
  begin_measuring();
  if(fields.start == EEPROM_FIELDS_START_AT_ONCE && fields.supplier != 0) {
    advertise(event_of(fields.supplier));
    push(event_of(fields.supplier));
  }
  etimer_set(&timer, ticks(fields.duration_ms));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  process_exit(&event_service_supplier_process);
  etimer_set(&timer, ticks(fields.drain_ms));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  event_trace_switch(false);
  energy_states_end();
  counters = pubsub_counters;
  etimer_set(&timer, ticks(DUMP_SLOT_MS * (fields.mote % DUMP_SLOTS)));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  dump();
  if(is_instructor()) {
    etimer_set(&timer, ticks(DUMP_ALL_MS));
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    printf("!run,end,0\n");
  }

  PROCESS_END();
}
