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
#if MAC_CONF_WITH_RADIO_CSMA
  counters_dump_one("radio_assessments", counters->radio.assessments);
  counters_dump_one("radio_busy_assessments", counters->radio.busy_assessments);
  counters_dump_one("radio_missed_contending", counters->radio.missed_contending);
  counters_dump_one("radio_buffer_overflow", counters->radio.buffer_overflow);
  counters_dump_one("radio_no_ack", counters->radio.no_ack);
  counters_dump_one("radio_deaf_ms", (uint32_t)(counters->radio.deaf_us / 1000));
#endif
  counters_dump_one("packets_sent", counters->events_transmitted
                    + counters->control_packets_sent);
  counters_dump_one("packets_received", counters->event_packets_received
                    + counters->control_packets_received);
}
