/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of lorry, field by field. Made from application.yaml by
 * `orchestrate build --eeprom-fields`; whatever is changed here is lost.
 */
#ifndef EEPROM_FIELDS_H_
#define EEPROM_FIELDS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "contiki.h"
#include "dev/eeprom.h"

/* The fields in the image's order, an array as its number of items. */
struct eeprom_fields {
  uint16_t magic;
  uint8_t role;
  uint16_t mote;
  uint8_t trace;
  uint32_t seed;
  uint32_t duration_ms;
  uint32_t drain_ms;
  uint32_t warm_up_ms;
  uint32_t sprinkler_policies;
  uint32_t temperature_policies;
  uint32_t smoke_policies;
  uint32_t package_policies;
  uint32_t climate_policies;
  uint8_t script;
  uint8_t hot;
  uint8_t near;
  uint32_t event_at_ms;
  int16_t target;
  int16_t delta;
  uint32_t group_key;
  uint8_t stranger;
  uint8_t attack;
  uint8_t update;
  uint8_t updated;
  uint8_t updated_by;
  uint32_t update_at_ms;
  uint8_t awaited;
  uint8_t rebooted;
  uint32_t reboot_at_ms;
  uint32_t off_for_ms;
  uint32_t attack_at_ms;
  uint32_t interval_ms;
  uint8_t program_count;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 85, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, magic) == 0, "magic is not at 0");
_Static_assert(offsetof(struct eeprom_fields, role) == 2, "role is not at 2");
_Static_assert(offsetof(struct eeprom_fields, mote) == 3, "mote is not at 3");
_Static_assert(offsetof(struct eeprom_fields, trace) == 5, "trace is not at 5");
_Static_assert(offsetof(struct eeprom_fields, seed) == 6, "seed is not at 6");
_Static_assert(offsetof(struct eeprom_fields, duration_ms) == 10, "duration_ms is not at 10");
_Static_assert(offsetof(struct eeprom_fields, drain_ms) == 14, "drain_ms is not at 14");
_Static_assert(offsetof(struct eeprom_fields, warm_up_ms) == 18, "warm_up_ms is not at 18");
_Static_assert(offsetof(struct eeprom_fields, sprinkler_policies) == 22, "sprinkler_policies is not at 22");
_Static_assert(offsetof(struct eeprom_fields, temperature_policies) == 26, "temperature_policies is not at 26");
_Static_assert(offsetof(struct eeprom_fields, smoke_policies) == 30, "smoke_policies is not at 30");
_Static_assert(offsetof(struct eeprom_fields, package_policies) == 34, "package_policies is not at 34");
_Static_assert(offsetof(struct eeprom_fields, climate_policies) == 38, "climate_policies is not at 38");
_Static_assert(offsetof(struct eeprom_fields, script) == 42, "script is not at 42");
_Static_assert(offsetof(struct eeprom_fields, hot) == 43, "hot is not at 43");
_Static_assert(offsetof(struct eeprom_fields, near) == 44, "near is not at 44");
_Static_assert(offsetof(struct eeprom_fields, event_at_ms) == 45, "event_at_ms is not at 45");
_Static_assert(offsetof(struct eeprom_fields, target) == 49, "target is not at 49");
_Static_assert(offsetof(struct eeprom_fields, delta) == 51, "delta is not at 51");
_Static_assert(offsetof(struct eeprom_fields, group_key) == 53, "group_key is not at 53");
_Static_assert(offsetof(struct eeprom_fields, stranger) == 57, "stranger is not at 57");
_Static_assert(offsetof(struct eeprom_fields, attack) == 58, "attack is not at 58");
_Static_assert(offsetof(struct eeprom_fields, update) == 59, "update is not at 59");
_Static_assert(offsetof(struct eeprom_fields, updated) == 60, "updated is not at 60");
_Static_assert(offsetof(struct eeprom_fields, updated_by) == 61, "updated_by is not at 61");
_Static_assert(offsetof(struct eeprom_fields, update_at_ms) == 62, "update_at_ms is not at 62");
_Static_assert(offsetof(struct eeprom_fields, awaited) == 66, "awaited is not at 66");
_Static_assert(offsetof(struct eeprom_fields, rebooted) == 67, "rebooted is not at 67");
_Static_assert(offsetof(struct eeprom_fields, reboot_at_ms) == 68, "reboot_at_ms is not at 68");
_Static_assert(offsetof(struct eeprom_fields, off_for_ms) == 72, "off_for_ms is not at 72");
_Static_assert(offsetof(struct eeprom_fields, attack_at_ms) == 76, "attack_at_ms is not at 76");
_Static_assert(offsetof(struct eeprom_fields, interval_ms) == 80, "interval_ms is not at 80");
_Static_assert(offsetof(struct eeprom_fields, program_count) == 84, "program_count is not at 84");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* The numbers of words. */
enum {
  EEPROM_FIELDS_ROLE_SPRINKLER = 1,
  EEPROM_FIELDS_ROLE_TEMPERATURE = 2,
  EEPROM_FIELDS_ROLE_SMOKE = 3,
  EEPROM_FIELDS_ROLE_PACKAGE = 4,
  EEPROM_FIELDS_ROLE_CLIMATE = 5,
  EEPROM_FIELDS_ROLE_DRIVER = 6,
  EEPROM_FIELDS_ROLE_ALARM_UNIT = 7,
  EEPROM_FIELDS_ROLE_ATTACKER = 8,
  EEPROM_FIELDS_ROLE_RELAY = 9,
  EEPROM_FIELDS_SCRIPT_CALM = 0,
  EEPROM_FIELDS_SCRIPT_FIRE = 1,
  EEPROM_FIELDS_SCRIPT_SUN = 2,
  EEPROM_FIELDS_SCRIPT_OPENED = 3,
  EEPROM_FIELDS_SCRIPT_WARM = 4,
  EEPROM_FIELDS_SCRIPT_WARM_THEN_OPENED = 5,
  EEPROM_FIELDS_SCRIPT_RANDOM = 6,
  EEPROM_FIELDS_ATTACK_NONE = 0,
  EEPROM_FIELDS_ATTACK_INJECT = 1,
  EEPROM_FIELDS_ATTACK_REPLAY = 2,
  EEPROM_FIELDS_ATTACK_FLOOD = 3,
  EEPROM_FIELDS_ATTACK_DISABLE = 4,
  EEPROM_FIELDS_ATTACK_CODE = 5,
  EEPROM_FIELDS_UPDATE_NONE = 0,
  EEPROM_FIELDS_UPDATE_LOAD = 1,
  EEPROM_FIELDS_UPDATE_DISABLE = 2,
  EEPROM_FIELDS_UPDATE_REPLACE = 3,
  EEPROM_FIELDS_UPDATE_CODE = 7,
};

/* Where the items of program begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_program_at(void)
{
  return 85;
}
static inline uint8_t
eeprom_fields_program(uint8_t i)
{
  uint8_t item = 0;

  eeprom_read(eeprom_fields_program_at() + 1 * i, (unsigned char *)&item, 1);
  return item;
}
static inline uint8_t
eeprom_fields_program_count(void)
{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_program_at() - 1, &count, 1);
  return count;
}

/* Bytes of the image; more than EEPROM_SIZE: its last items are not there. */
static inline unsigned
eeprom_fields_size(void)
{
  return eeprom_fields_program_at() + 1 * eeprom_fields_program_count();
}

/* Read the fields. False if this is no image of the application's, or it is cut short. */
static inline bool
eeprom_fields_read(struct eeprom_fields *fields)
{
  if(!eeprom_read(0, (unsigned char *)fields + 0, 85)) {
    return false;
  }
  return fields->magic == 20320;
}

#endif
