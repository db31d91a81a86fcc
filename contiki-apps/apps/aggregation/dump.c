/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "configuration.h"
#include "counters-dump.h"
#include "dump.h"
#include "energy-states.h"
#include "publisher.h"
#include "run-control.h"
#include "subscriber.h"

static struct pubsub_counters counters;
static uint8_t pending;

PROCESS(dump_process, "Dump");
/*---------------------------------------------------------------------------*/
void
dump_begin_measuring(void)
{
  energy_states_begin();
  pubsub_counters_start();
}
/*---------------------------------------------------------------------------*/
void
dump_end_measuring(void)
{
  energy_states_end();
  counters = pubsub_counters;
  pending = publisher_pending();
}
/*---------------------------------------------------------------------------*/
static void
print_counters(void)
{
  counters_dump(&counters);
  counters_dump_one("events_pending", pending);
  if(counters.merges_undone > 0) {
    counters_dump_one("merges_undone", counters.merges_undone);
  }
  if(configuration.role != ROLE_CONTROL) {
    counters_dump_one("start_exact", run_start_time()->exact);
  }
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
  energy_states_dump();
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
