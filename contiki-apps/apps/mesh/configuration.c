/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "dev/eeprom.h"
#include "configuration.h"
#include "eeprom-image.h"
#include "pubsub-octets.h"

#define MAGIC 0x4f53
#define LAYOUT 2
#define MOST_TOPICS 8

struct configuration configuration;
/*---------------------------------------------------------------------------*/
const char *
configuration_read(void)
{
  struct configuration *c = &configuration;

  if(!eeprom_image_begin(MAGIC) || eeprom_image_number(1) != LAYOUT) {
    return "the EEPROM holds no image of this application";
  }
  c->mote = eeprom_image_number(2);
  c->ender = eeprom_image_number(2);
  c->subscriber = eeprom_image_number(1);
  c->publisher = eeprom_image_number(1);
  c->killed = eeprom_image_number(1);
  c->topics = eeprom_image_number(1);
  c->trace = eeprom_image_number(1);
  c->seed = eeprom_image_number(4);
  c->duration = eeprom_image_number(4);
  c->drain = eeprom_image_number(4);
  c->kill_at = eeprom_image_number(4);
  c->revive_after = eeprom_image_number(4);
  c->renewal = eeprom_image_number(4);
  c->interval = eeprom_image_number(4);
  c->warm_up = eeprom_image_number(4);
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
