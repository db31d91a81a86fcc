/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "dev/eeprom.h"
#include "configuration.h"
#include "eeprom-fields.h"
#include "pubsub-octets.h"

#define MOST_TOPICS 8

struct configuration configuration;
/*---------------------------------------------------------------------------*/
const char *
configuration_read(void)
{
  struct configuration *c = &configuration;
  struct eeprom_fields fields;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  c->mote = fields.mote;
  c->ender = fields.ender;
  c->subscriber = fields.subscriber;
  c->publisher = fields.publisher;
  c->killed = fields.killed;
  c->topics = fields.topics;
  c->trace = fields.trace;
  c->seed = fields.seed;
  c->duration = fields.duration_ms;
  c->drain = fields.drain_ms;
  c->kill_at = fields.kill_at_ms;
  c->revive_after = fields.revive_after_ms;
  c->renewal = fields.renewal_ms;
  c->interval = fields.interval_ms;
  c->warm_up = fields.warm_up_ms;
  if(c->topics == 0 || c->topics > MOST_TOPICS || c->renewal == 0
     || c->interval == 0) {
    return "the EEPROM image holds a value out of range";
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
uint16_t
configuration_boot(void)
{
  const eeprom_addr_t at = EEPROM_SIZE - 2; /* behind the image, 0 at first */
  unsigned char octets[2] = { 0 };
  uint16_t boot;

  eeprom_read(at, octets, sizeof(octets));
  boot = pubsub_get16(octets);
  pubsub_put16(octets, boot + 1);
  eeprom_write(at, octets, sizeof(octets));
  return boot;
}
