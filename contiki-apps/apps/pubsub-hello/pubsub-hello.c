/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two topics: every publisher says its uptime each interval, and greets once.
 * Motes between it and the subscriber forward along configured routes.
 */
#include <stdio.h>
#include <string.h>
#include "contiki.h"
#include "dev/eeprom.h"
#include "lib/random.h"
#include "configured-routes.h"
#include "pubsub.h"
#include "pubsub-octets.h"

#define UPTIME "uptime"
#define GREETING "greeting"

/* What application.yaml puts into the EEPROM, before the neighbours. */
#define IMAGE_SIZE 10

static uint8_t index_here;
static clock_time_t interval;

PROCESS(pubsub_hello_process, "Publish/subscribe hello");
AUTOSTART_PROCESSES(&pubsub_hello_process);
/*---------------------------------------------------------------------------*/
static void
configure(void)
{
  uint8_t image[IMAGE_SIZE], neighbour[2];
  unsigned i;

  eeprom_read(0, image, sizeof(image));
  index_here = image[4];
  interval = (clock_time_t)
    ((uint64_t)pubsub_get32(image + 5) * CLOCK_SECOND / 1000);
  configured_routes_set(pubsub_get16(image + 2));
  for(i = 0; i < image[9]; i++) {
    eeprom_read(IMAGE_SIZE + 2 * i, neighbour, sizeof(neighbour));
    configured_routes_add_neighbour(pubsub_get16(neighbour));
  }
  pubsub_init(pubsub_get16(image), index_here, &configured_routes);
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
