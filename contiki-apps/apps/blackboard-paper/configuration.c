/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "configuration.h"
#include "eeprom-fields.h"

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
  c->runs = fields.runs;
  c->trace = fields.trace;
  c->gives_up = fields.gives_up;
  c->adapts = fields.adapts;
  c->each_phase = fields.phase;
  c->seed = fields.seed;
  c->duration = fields.duration_ms;
  c->drain = fields.drain_ms;
  c->extra_work = fields.extra_work_us;
  c->deadline = fields.deadline_us;
  c->publisher_cost = fields.publisher_cost_us;
  c->subscriber_cost = fields.subscriber_cost_us;
  if(c->deadline == 0) {
    return "the EEPROM image holds a value out of range";
  }
  return NULL;
}
