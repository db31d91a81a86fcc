/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of link-survey, field by field. Made from application.yaml by
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
  uint32_t seed;
  uint32_t period_ms;
  uint16_t frames;
  uint8_t powers;
  int32_t power_high;
  int32_t power_low;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 21, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, magic) == 0, "magic is not at 0");
_Static_assert(offsetof(struct eeprom_fields, seed) == 2, "seed is not at 2");
_Static_assert(offsetof(struct eeprom_fields, period_ms) == 6, "period_ms is not at 6");
_Static_assert(offsetof(struct eeprom_fields, frames) == 10, "frames is not at 10");
_Static_assert(offsetof(struct eeprom_fields, powers) == 12, "powers is not at 12");
_Static_assert(offsetof(struct eeprom_fields, power_high) == 13, "power_high is not at 13");
_Static_assert(offsetof(struct eeprom_fields, power_low) == 17, "power_low is not at 17");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* Bytes of the image; more than EEPROM_SIZE: its last items are not there. */
static inline unsigned
eeprom_fields_size(void)
{
  return 21;
}

/* Read the fields. False if this is no image of the application's, or it is cut short. */
static inline bool
eeprom_fields_read(struct eeprom_fields *fields)
{
  if(!eeprom_read(0, (unsigned char *)fields + 0, 21)) {
    return false;
  }
  return fields->magic == 20314;
}

#endif
