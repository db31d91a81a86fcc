/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every direction and size of a binding along a chain of two publishers, the far
 * one mote 3, to the subscriber. What is written to the boards is in the trace.
 * The EEPROM image is pubsub-hello's.
 */
#include "contiki.h"
#include "dev/eeprom.h"
#include "blackboard-binding.h"
#include "blackboard-log.h"
#include "blackboard-thread.h"
#include "configured-routes.h"
#include "mean.h"
#include "merge-function.h"
#include "pubsub-octets.h"

#define FAR 3
#define IMAGE_SIZE 10

static uint16_t self;
static struct merge_attribute mean, idle;
static const struct { uint8_t event; uint32_t value; } values[] = {
  { EVENT_BYTE, 0 }, { EVENT_BYTE, 255 }, { EVENT_BYTE, 256 },
  { EVENT_WORD, (uint32_t)-1 }, { EVENT_WORD, (uint32_t)-32768 },
  { EVENT_WORD, 32767 }, { EVENT_WORD, 40000 },
  { EVENT_REAL, BLACKBOARD_FIXED(-1.5) }, { EVENT_REAL, 0x80000000UL },
  { EVENT_ODD, 7 }, { EVENT_RING, 11 }
};
#define VALUES (sizeof(values) / sizeof(values[0]))

PROCESS(binding_process, "Bindings");
AUTOSTART_PROCESSES(&binding_process);
/*---------------------------------------------------------------------------*/
static void
configure(void)
{
  uint8_t image[IMAGE_SIZE], neighbour[2];
  unsigned i;

  eeprom_read(0, image, sizeof(image));
  self = pubsub_get16(image);
  configured_routes_set(pubsub_get16(image + 2));
  for(i = 0; i < image[9]; i++) {
    eeprom_read(IMAGE_SIZE + 2 * i, neighbour, sizeof(neighbour));
    configured_routes_add_neighbour(pubsub_get16(neighbour));
  }
  pubsub_init(self, image[4], &configured_routes);
}
/*---------------------------------------------------------------------------*/
static void
bind(void)
{
  blackboard_start();
  blackboard_log_start(true);
  if(configured_routes_parent() != PUBSUB_NOBODY) {
    /* The near publisher merges its heat with the far one's. */
    merge_attribute_init(&mean, &merge_mean_function, 2);
    blackboard_bind(BLACKBOARD_BINDING_heat_HEAT,
                    self != FAR ? &mean.attribute : NULL);
    blackboard_bind(BLACKBOARD_BINDING_byte_BYTE, NULL);
    /* It would merge words, too, if they didn't go out unmerged. */
    merge_attribute_init(&idle, &merge_mean_function, 2);
    blackboard_bind(BLACKBOARD_BINDING_word_WORD,
                    self != FAR ? &idle.attribute : NULL);
    blackboard_bind(BLACKBOARD_BINDING_wide_WORD, NULL);
    blackboard_bind(BLACKBOARD_BINDING_real_REAL, NULL);
    blackboard_bind(BLACKBOARD_BINDING_odd_ODD, NULL);
    blackboard_bind(BLACKBOARD_BINDING_ring_RING, NULL);
    blackboard_bind(BLACKBOARD_BINDING_ring_RING_IN, NULL);
    blackboard_bind(BLACKBOARD_BINDING_sampled_SAMPLED_IN, NULL);
    return;
  }
  blackboard_bind(BLACKBOARD_BINDING_byte_BYTE_IN, NULL);
  blackboard_bind(BLACKBOARD_BINDING_word_WORD_IN, NULL);
  blackboard_bind(BLACKBOARD_BINDING_wide_WIDE_IN, NULL);
  blackboard_bind(BLACKBOARD_BINDING_real_REAL_IN, NULL);
  blackboard_bind(BLACKBOARD_BINDING_heat_HEAT_IN, NULL);
  blackboard_bind(BLACKBOARD_BINDING_odd_ODD_IN, NULL);
  blackboard_bind(BLACKBOARD_BINDING_ring_RING_IN, NULL);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(binding_process, ev, data)
{
  static struct etimer timer;
  static unsigned i;
  static struct pubsub_publisher_channel *sampled;
  uint8_t octets[2];

  PROCESS_BEGIN();

  configure();
  bind();
  etimer_set(&timer, 2 * CLOCK_SECOND);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  if(self == FAR) {
    for(i = 0; i < VALUES; i++) {
      blackboard_publish_request(values[i].event, values[i].value);
      etimer_set(&timer, CLOCK_SECOND / 4);
      PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    }
    /* A value that this node itself publishes between nodes. */
    sampled = pubsub_announce(pubsub_subject("sampled"), NULL);
    pubsub_put16(octets, (uint16_t)-5);
    pubsub_publish(sampled, octets, sizeof(octets), 0);
  }
  if(configured_routes_parent() != PUBSUB_NOBODY) {
    etimer_set(&timer, 4 * CLOCK_SECOND);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    blackboard_publish_request(EVENT_HEAT, self == FAR ? 30 : 10);
  }
  etimer_set(&timer, 12 * CLOCK_SECOND);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  blackboard_log_dump();
  blackboard_binding_dump();

  PROCESS_END();
}
