/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "dev/eeprom.h"
#include "configuration.h"

#define MAGIC 0x4f54
#define LAYOUT 1

struct configuration configuration;

static eeprom_addr_t at;
/*---------------------------------------------------------------------------*/
/* The image is shorter than the EEPROM, so that no read goes past its end. */
static uint32_t
number(uint8_t size)
{
  unsigned char bytes[4] = { 0 };

  eeprom_read(at, bytes, size);
  at += size;
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
    | (uint32_t)bytes[3] << 24;
}
/*---------------------------------------------------------------------------*/
const char *
configuration_read(void)
{
  struct configuration *c = &configuration;

  at = 0;
  if(number(2) != MAGIC || number(1) != LAYOUT) {
    return "the EEPROM holds no image of this application";
  }
  c->runs = number(1);
  c->trace = number(1);
  c->gives_up = number(1);
  c->adapts = number(1);
  c->each_phase = number(1);
  c->seed = number(4);
  c->duration = number(4);
  c->drain = number(4);
  c->extra_work = number(4);
  c->deadline = number(4);
  c->publisher_cost = number(4);
  c->subscriber_cost = number(4);
  if(c->deadline == 0) {
    return "the EEPROM image holds a value out of range";
  }
  return NULL;
}
