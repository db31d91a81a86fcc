/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "counters-dump.h"
#include "energy-states.h"
#include "event-fragments.h"
#include "event-service.h"
#include "event-service-binding.h"
#include "event-service-renewal.h"
#include "event-trace.h"
#include "measuring.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"

static struct pubsub_counters counters;
/*---------------------------------------------------------------------------*/
void
measuring_begin(bool trace)
{
  static struct pubsub_observer ends;

  energy_states_begin();
  pubsub_counters_start();
  event_trace_switch(true);
  if(!trace) {
    ends = *pubsub_observer;
    ends.sent = NULL;
    ends.received = NULL;
    ends.dropped = NULL;
    pubsub_observer = &ends;
  }
}
/*---------------------------------------------------------------------------*/
void
measuring_end(void)
{
  event_trace_switch(false);
  energy_states_end();
  counters = pubsub_counters;
}
/*---------------------------------------------------------------------------*/
void
measuring_dump(const struct eeprom_fields *fields, uint32_t damaged)
{
#define DUMP(name) counters_dump_one(#name, event_service_counters.name);
#define DUMP_FRAGMENTS(name) counters_dump_one(#name, event_fragments_counters.name);
#define DUMP_BINDING(name) counters_dump_one(#name, event_service_binding_counters.name);
#define DUMP_RENEWAL(name) counters_dump_one(#name, event_service_renewal_counters.name);

  counters_dump(&counters);
  EVENT_SERVICE_COUNTERS(DUMP)
  if(fields->size > 0) {
    EVENT_FRAGMENTS_COUNTERS(DUMP_FRAGMENTS)
    counters_dump_one("fragmented_damaged", damaged);
  }
  if(fields->identifiers) {
    EVENT_SERVICE_BINDING_COUNTERS(DUMP_BINDING)
  }
  if(fields->renewal_ms > 0) {
    EVENT_SERVICE_RENEWAL_COUNTERS(DUMP_RENEWAL)
  }
  energy_states_dump();
}
