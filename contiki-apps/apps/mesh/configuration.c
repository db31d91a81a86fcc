/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "dev/eeprom.h"
#include "configuration.h"
#include "pubsub-octets.h"

#define MAGIC 0x4f53
#define LAYOUT 1
#define MOST_TOPICS 8

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
  return octets_get32(bytes);
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
  c->mote = number(2);
  c->ender = number(2);
  c->subscriber = number(1);
  c->publisher = number(1);
  c->killed = number(1);
  c->topics = number(1);
  c->trace = number(1);
  c->seed = number(4);
  c->duration = number(4);
  c->drain = number(4);
  c->kill_at = number(4);
  c->renewal = number(4);
  c->interval = number(4);
  c->warm_up = number(4);
  if(c->topics == 0 || c->topics > MOST_TOPICS || c->renewal == 0
     || c->interval == 0) {
    return "the EEPROM image holds a value out of range";
  }
  return NULL;
}
