/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "configuration.h"
#include "eeprom-image.h"

#define MAGIC 0x4f57
#define LAYOUT 1

struct configuration configuration;
/*---------------------------------------------------------------------------*/
const char *
configuration_read(void)
{
  struct configuration *c = &configuration;

  if(!eeprom_image_begin(MAGIC) || eeprom_image_number(1) != LAYOUT) {
    return "the EEPROM holds no image of this application";
  }
  c->runs = eeprom_image_number(1);
  c->trace = eeprom_image_number(1);
  c->gives_up = eeprom_image_number(1);
  c->adapts = eeprom_image_number(1);
  c->each_phase = eeprom_image_number(1);
  c->seed = eeprom_image_number(4);
  c->duration = eeprom_image_number(4);
  c->drain = eeprom_image_number(4);
  c->extra_work = eeprom_image_number(4);
  c->deadline = eeprom_image_number(4);
  c->publisher_cost = eeprom_image_number(4);
  c->subscriber_cost = eeprom_image_number(4);
  if(c->deadline == 0) {
    return "the EEPROM image holds a value out of range";
  }
  return NULL;
}
