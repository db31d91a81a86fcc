/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "configuration.h"
#include "dev/eeprom.h"
#include "eeprom-fields.h"
#include "pubsub-octets.h"

#define LAST_ROLE EEPROM_FIELDS_ROLE_RELAY

struct configuration configuration;
/*---------------------------------------------------------------------------*/
static uint32_t
policies_of(const struct eeprom_fields *fields)
{
  switch(fields->role) {
  case EEPROM_FIELDS_ROLE_SPRINKLER:
    return fields->sprinkler_policies;
  case EEPROM_FIELDS_ROLE_TEMPERATURE:
    return fields->temperature_policies;
  case EEPROM_FIELDS_ROLE_SMOKE:
    return fields->smoke_policies;
  case EEPROM_FIELDS_ROLE_PACKAGE:
    return fields->package_policies;
  case EEPROM_FIELDS_ROLE_CLIMATE:
    return fields->climate_policies;
  default:
    return 0;
  }
}
/*---------------------------------------------------------------------------*/
const char *
configuration_read(void)
{
  struct configuration *c = &configuration;
  struct eeprom_fields fields;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  c->role = fields.role;
  c->mote = fields.mote;
  c->trace = fields.trace;
  c->seed = fields.seed;
  c->duration = fields.duration_ms;
  c->drain = fields.drain_ms;
  c->warm_up = fields.warm_up_ms;
  c->policies = policies_of(&fields);
  c->script = fields.script;
  c->hot = fields.hot;
  c->near = fields.near != 0;
  c->event_at = fields.event_at_ms;
  c->interval = fields.interval_ms;
  c->target = fields.target;
  c->delta = fields.delta;
  c->group_key = fields.stranger != 0 ? ~fields.group_key : fields.group_key;
  c->attack = fields.attack;
  c->attack_at = fields.attack_at_ms;
  c->update = fields.update;
  c->updated = fields.updated;
  c->updated_by = fields.updated_by;
  c->update_at = fields.update_at_ms;
  c->awaited = fields.awaited;
  c->off_for = fields.off_for_ms;
  c->reboot_at = fields.rebooted != 0 ? fields.reboot_at_ms : 0;
  return c->role >= 1 && c->role <= LAST_ROLE && c->mote >= 1 && c->mote <= UINT8_MAX
    && c->interval > 0 && c->script < SCRIPTS && c->attack < ATTACKS
    ? NULL : "the EEPROM image holds a value out of range";
}
/*---------------------------------------------------------------------------*/
uint16_t
configuration_boot(void)
{
  const eeprom_addr_t at = EEPROM_SIZE - 10; /* behind the image, before an EUI-64 */
  unsigned char octets[2] = { 0 };
  uint16_t boot;

  eeprom_read(at, octets, sizeof(octets));
  boot = pubsub_get16(octets);
  pubsub_put16(octets, boot + 1);
  eeprom_write(at, octets, sizeof(octets));
  return boot;
}
/*---------------------------------------------------------------------------*/
const char *
configuration_role(void)
{
  static const char *const roles[LAST_ROLE] = {
    "sprinkler", "temperature", "smoke", "package", "climate", "driver", "alarm-unit",
    "attacker", "relay"
  };

  return roles[configuration.role - 1];
}
