/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "event-channel.h"
#include "event-fragments.h"
#include "event-types.h"
#include "pubsub-octets.h"
#include "supplier.h"

static const struct eeprom_fields *fields;
static pubsub_subject_t pushed_event;
static struct event_fragments_sender sender;
static uint8_t large[EVENT_FRAGMENTS_SIZE];
static struct pubsub_publisher_channel *published; /* where boards are bridged */

PROCESS(supplier_process, "Supplier");
/*---------------------------------------------------------------------------*/
/*
 * What the supplier measures, counted from 1: no sensor, but numbers that anybody can tell
 * beforehand. Returns its size.
 */
static uint8_t
measure(uint16_t count, uint8_t *data)
{
  struct climate_event climate;

  if(fields->type != EEPROM_FIELDS_TYPE_CLIMATE) {
    pubsub_put16(data, fields->pushes + 1 - count);
    return 2;
  }
  climate.temperature = 4000 + 100 * (count % 30);
  climate.humidity = 3000 + 100 * (7 * count % 40);
  climate_event_encode(&climate, data);
  return CLIMATE_EVENT_SIZE;
}
/*---------------------------------------------------------------------------*/
static bool
push_one(uint16_t count)
{
  uint8_t value[PUBSUB_MAX_DATA];
  uint16_t i;

  if(fields->bridged) {
    return published != NULL && pubsub_publish(published, value, measure(count, value), 0);
  }
  if(fields->size == 0) {
    return push_consumer_push(pushed_event, value, measure(count, value));
  }
  for(i = 0; i < fields->size && sender.data == NULL; i++) {
    large[i] = count + i;
  }
  /* An event that finds the one before under way is refused, and counted. */
  event_fragments_push(&sender, pushed_event, large, fields->size, pubsub_ticks(fields->gap_ms));
  return true;
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(supplier_process, ev, data)
{
  static struct etimer timer;
  static uint16_t left;

  PROCESS_BEGIN();

  etimer_set(&timer, pubsub_ticks(fields->interval_ms));
  for(left = fields->pushes; left > 0; left--) {
    if(!push_one(fields->pushes + 1 - left)) {
      printf("event-service: push was refused\n");
      PROCESS_EXIT();
    }
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    etimer_reset(&timer); /* from the time it was due, so that delays don't add up */
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
void
supplier_bridge(struct pubsub_publisher_channel *channel)
{
  published = channel;
}
/*---------------------------------------------------------------------------*/
void
supplier_push(pubsub_subject_t event, const struct eeprom_fields *settings)
{
  fields = settings;
  pushed_event = event;
  process_exit(&supplier_process);
  process_start(&supplier_process, NULL);
}
/*---------------------------------------------------------------------------*/
void
supplier_stop(void)
{
  process_exit(&supplier_process);
}
