/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two topics: every publisher publishes its uptime each interval, and a
 * greeting once. Motes between it and the subscriber forward along configured
 * routes.
 */
#include <stdio.h>
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "configured-routes.h"
#include "eeprom-fields.h"
#include "identity.h"
#include "pubsub.h"
#include "pubsub-octets.h"

#define UPTIME "uptime"
#define GREETING "greeting"

static uint8_t index_here;
static clock_time_t interval;

PROCESS(pubsub_hello_process, "Publish/subscribe hello");
AUTOSTART_PROCESSES(&identity_process, &pubsub_hello_process);
/*---------------------------------------------------------------------------*/
static void
configure(void)
{
  struct eeprom_fields fields;

  eeprom_fields_read(&fields);
  index_here = fields.index;
  interval = pubsub_ticks(fields.interval_ms);
  configured_routes_set(fields.parent);
  configured_routes_add_neighbours(fields.neighbours_count, eeprom_fields_neighbours);
  pubsub_init(fields.mote, index_here, &configured_routes);
}
/*---------------------------------------------------------------------------*/
static void
uptime_arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  if(event->length == 4) {
    printf("publisher %u is up for %lu s\n",
           (unsigned)event->contributor[0].publisher,
           (unsigned long)pubsub_get32(event->data));
  }
}
/*---------------------------------------------------------------------------*/
static void
greeting_arrived(const struct pubsub_event *event, uint16_t from,
                 void *context)
{
  printf("publisher %u says %.*s\n",
         (unsigned)event->contributor[0].publisher,
         (int)event->length, (const char *)event->data);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(pubsub_hello_process, ev, data)
{
  static struct pubsub_publisher_channel *uptime, *greeting;
  static struct etimer timer;
  uint8_t seconds[4];

  PROCESS_BEGIN();

  configure();
  if(configured_routes_parent() == PUBSUB_NOBODY) {
    pubsub_subscribe(pubsub_subject(UPTIME), uptime_arrived, NULL, NULL);
    pubsub_subscribe(pubsub_subject(GREETING), greeting_arrived, NULL, NULL);
    PROCESS_EXIT();
  }
  if(index_here == 0) {
    PROCESS_EXIT(); /* a relay: the routing layer does all there is to do */
  }
  uptime = pubsub_announce(pubsub_subject(UPTIME), NULL);
  greeting = pubsub_announce(pubsub_subject(GREETING), NULL);
  etimer_set(&timer, 1 + random_rand() % interval);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  pubsub_publish(greeting, "hello", 5, 0);
  pubsub_unannounce(greeting);
  while(1) {
    pubsub_put32(seconds, clock_seconds());
    pubsub_publish(uptime, seconds, sizeof(seconds), 0);
    etimer_set(&timer, interval);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  }

  PROCESS_END();
}
