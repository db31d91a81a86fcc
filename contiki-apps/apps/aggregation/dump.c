/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "sys/energest.h"
#include "configuration.h"
#include "dump.h"
#include "publisher.h"
#include "pubsub-counters.h"
#include "run-control.h"
#include "subscriber.h"

enum { CPU, LPM, TRANSMIT, LISTEN, STATES };

static const struct {
  const char *name;
  energest_type_t type;
} states[STATES] = {
  { "cpu", ENERGEST_TYPE_CPU },
  { "lpm", ENERGEST_TYPE_LPM },
  { "transmit", ENERGEST_TYPE_TRANSMIT },
  { "listen", ENERGEST_TYPE_LISTEN }
};

static uint64_t time_in[STATES]; /* us: at the begin; then: measured */
static uint32_t begin, measured; /* ms */
static struct pubsub_counters counters;
static uint8_t pending;

PROCESS(dump_process, "Dump");
/*---------------------------------------------------------------------------*/
static uint64_t
microseconds(energest_type_t type)
{
  return energest_type_time(type) * 1000000 / ENERGEST_SECOND;
}
/*---------------------------------------------------------------------------*/
void
dump_begin_measuring(void)
{
  unsigned i;

  energest_flush();
  for(i = 0; i < STATES; i++) {
    time_in[i] = microseconds(states[i].type);
  }
  begin = run_now();
  pubsub_counters_start();
}
/*---------------------------------------------------------------------------*/
void
dump_end_measuring(void)
{
  unsigned i;

  energest_flush();
  for(i = 0; i < STATES; i++) {
    time_in[i] = microseconds(states[i].type) - time_in[i];
  }
  measured = run_now() - begin;
  counters = pubsub_counters;
  pending = publisher_pending();
}
/*---------------------------------------------------------------------------*/
static void
print_counter(const char *name, uint32_t value)
{
  printf("!cnt,%s,%lu\n", name, (unsigned long)value);
}
/*---------------------------------------------------------------------------*/
static void
print_counters(void)
{
#define PRINT_COUNTER(name) print_counter(#name, counters.name);
  PUBSUB_COUNTERS(PRINT_COUNTER)
  print_counter("packets_sent", counters.events_transmitted
                + counters.control_packets_sent);
  print_counter("packets_received", counters.event_packets_received
                + counters.control_packets_received);
  print_counter("events_pending", pending);
  if(counters.merges_undone > 0) {
    print_counter("merges_undone", counters.merges_undone);
  }
  if(configuration.role != ROLE_CONTROL) {
    print_counter("start_exact", run_start_time()->exact);
  }
}
/*---------------------------------------------------------------------------*/
static void
print_states(void)
{
  uint64_t radio = time_in[TRANSMIT] + time_in[LISTEN];
  uint64_t all = (uint64_t)measured * 1000;
  unsigned i;

  for(i = 0; i < STATES; i++) {
    printf("!nrg,%s,%lu\n", states[i].name, (unsigned long)time_in[i]);
  }
  printf("!nrg,off,%lu\n", (unsigned long)(all > radio ? all - radio : 0));
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(dump_process, ev, data)
{
  static struct etimer timer;
  static unsigned section;

  PROCESS_BEGIN();

  etimer_set(&timer, DUMP_SLOT * (configuration.mote % DUMP_SLOTS));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));

  printf("!node,%s,%u,%u,%u\n", configuration_role_name(),
         (unsigned)configuration.index, (unsigned)configuration.parent,
         (unsigned)configuration.publishers_through);
  print_counters();
  PROCESS_PAUSE();
  print_states();
  if(configuration.role == ROLE_SUBSCRIBER) {
    for(section = 0; subscriber_dump(section); section++) {
      PROCESS_PAUSE();
    }
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
void
dump_start(void)
{
  process_start(&dump_process, NULL);
}
