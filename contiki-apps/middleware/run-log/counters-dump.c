/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "counters-dump.h"
/*---------------------------------------------------------------------------*/
void
counters_dump_one(const char *name, uint32_t value)
{
  printf("!cnt,%s,%lu\n", name, (unsigned long)value);
}
/*---------------------------------------------------------------------------*/
void
counters_dump(const struct pubsub_counters *counters)
{
#define PRINT_COUNTER(name) counters_dump_one(#name, counters->name);
  PUBSUB_COUNTERS(PRINT_COUNTER)
  counters_dump_one("packets_sent", counters->events_transmitted
                    + counters->control_packets_sent);
  counters_dump_one("packets_received", counters->event_packets_received
                    + counters->control_packets_received);
}
