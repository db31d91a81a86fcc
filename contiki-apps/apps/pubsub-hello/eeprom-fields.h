/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of pubsub-hello, field by field. Made from application.yaml by
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
  uint16_t mote;
  uint16_t parent;
  uint8_t index;
  uint32_t interval_ms;
  uint8_t neighbours_count;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 10, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, mote) == 0, "mote is not at 0");
_Static_assert(offsetof(struct eeprom_fields, parent) == 2, "parent is not at 2");
_Static_assert(offsetof(struct eeprom_fields, index) == 4, "index is not at 4");
_Static_assert(offsetof(struct eeprom_fields, interval_ms) == 5, "interval_ms is not at 5");
_Static_assert(offsetof(struct eeprom_fields, neighbours_count) == 9, "neighbours_count is not at 9");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* Where the items of neighbours begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_neighbours_at(void)
{
  return 10;
}
static inline uint16_t
eeprom_fields_neighbours(uint8_t i)
{
  uint16_t item = 0;

  eeprom_read(eeprom_fields_neighbours_at() + 2 * i, (unsigned char *)&item, 2);
  return item;
}
static inline uint8_t
eeprom_fields_neighbours_count(void)
{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_neighbours_at() - 1, &count, 1);
  return count;
}

/* Bytes of the image; more than EEPROM_SIZE: its last items are not there. */
static inline unsigned
eeprom_fields_size(void)
{
  return eeprom_fields_neighbours_at() + 2 * eeprom_fields_neighbours_count();
}

/* Read the fields. False if this is no image of the application's, or it is cut short. */
static inline bool
eeprom_fields_read(struct eeprom_fields *fields)
{
  if(!eeprom_read(0, (unsigned char *)fields + 0, 10)) {
    return false;
  }
  return true;
}

#endif
