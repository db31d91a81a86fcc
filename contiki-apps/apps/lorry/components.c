/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "components.h"
#include "configuration.h"
#include "eeprom-fields.h"
#include "policies/policy-manager.h"
/*---------------------------------------------------------------------------*/
const struct component *
lorry_component(void)
{
  switch(configuration.role) {
  case EEPROM_FIELDS_ROLE_SPRINKLER:
    return LORRY_CODED ? &lorry_coded_sprinkler : &lorry_sprinkler;
  case EEPROM_FIELDS_ROLE_TEMPERATURE:
    return LORRY_CODED ? &lorry_coded_temperature : &lorry_temperature;
  case EEPROM_FIELDS_ROLE_SMOKE:
    return LORRY_CODED ? &lorry_coded_smoke : &lorry_smoke;
  case EEPROM_FIELDS_ROLE_PACKAGE:
    return &lorry_package;
  case EEPROM_FIELDS_ROLE_CLIMATE:
    return LORRY_CODED ? &lorry_coded_climate : &lorry_climate;
  case EEPROM_FIELDS_ROLE_DRIVER:
    return &lorry_driver;
  case EEPROM_FIELDS_ROLE_ALARM_UNIT:
    return &lorry_alarm_unit;
  case EEPROM_FIELDS_ROLE_ATTACKER:
    return &lorry_attacker;
  default:
    return NULL;
  }
}
/*---------------------------------------------------------------------------*/
void
lorry_notify(struct pubsub_publisher_channel *channel, const int16_t *numbers, uint8_t count)
{
  struct policy_value values[POLICY_ARGUMENTS];
  uint8_t data[PUBSUB_MAX_DATA], length, i;

  for(i = 0; i < count; i++) {
    values[i] = policy_number_value(numbers[i]);
  }
  length = policy_manager_encode(data, values, count);
  if(channel != NULL) {
    pubsub_publish(channel, data, length, 0);
  }
}
/*---------------------------------------------------------------------------*/
void
lorry_does(const char *what)
{
  printf("%s\n", what);
}
