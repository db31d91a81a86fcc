/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of event-service, field by field. Made from application.yaml by
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
  uint16_t mote;
  uint16_t parent;
  uint16_t instructor;
  uint8_t supplier;
  uint16_t consumer;
  uint8_t events;
  uint16_t pushes;
  uint16_t interval_ms;
  uint8_t start;
  uint8_t anybody;
  uint8_t tables;
  uint8_t power;
  uint8_t send_buffer;
  uint16_t retry_ms;
  uint32_t uart_rate;
  uint8_t trace;
  uint32_t duration_ms;
  uint32_t drain_ms;
  uint32_t warm_up_ms;
  uint8_t type;
  uint8_t bridged;
  uint16_t size;
  uint16_t gap_ms;
  uint8_t identifiers;
  uint32_t renewal_ms;
  uint8_t killed;
  uint32_t kill_at_ms;
  uint32_t revive_after_ms;
  uint8_t offered_count;
  uint8_t asked_count;
  uint8_t neighbours_count;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 63, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, magic) == 0, "magic is not at 0");
_Static_assert(offsetof(struct eeprom_fields, mote) == 2, "mote is not at 2");
_Static_assert(offsetof(struct eeprom_fields, parent) == 4, "parent is not at 4");
_Static_assert(offsetof(struct eeprom_fields, instructor) == 6, "instructor is not at 6");
_Static_assert(offsetof(struct eeprom_fields, supplier) == 8, "supplier is not at 8");
_Static_assert(offsetof(struct eeprom_fields, consumer) == 9, "consumer is not at 9");
_Static_assert(offsetof(struct eeprom_fields, events) == 11, "events is not at 11");
_Static_assert(offsetof(struct eeprom_fields, pushes) == 12, "pushes is not at 12");
_Static_assert(offsetof(struct eeprom_fields, interval_ms) == 14, "interval_ms is not at 14");
_Static_assert(offsetof(struct eeprom_fields, start) == 16, "start is not at 16");
_Static_assert(offsetof(struct eeprom_fields, anybody) == 17, "anybody is not at 17");
_Static_assert(offsetof(struct eeprom_fields, tables) == 18, "tables is not at 18");
_Static_assert(offsetof(struct eeprom_fields, power) == 19, "power is not at 19");
_Static_assert(offsetof(struct eeprom_fields, send_buffer) == 20, "send_buffer is not at 20");
_Static_assert(offsetof(struct eeprom_fields, retry_ms) == 21, "retry_ms is not at 21");
_Static_assert(offsetof(struct eeprom_fields, uart_rate) == 23, "uart_rate is not at 23");
_Static_assert(offsetof(struct eeprom_fields, trace) == 27, "trace is not at 27");
_Static_assert(offsetof(struct eeprom_fields, duration_ms) == 28, "duration_ms is not at 28");
_Static_assert(offsetof(struct eeprom_fields, drain_ms) == 32, "drain_ms is not at 32");
_Static_assert(offsetof(struct eeprom_fields, warm_up_ms) == 36, "warm_up_ms is not at 36");
_Static_assert(offsetof(struct eeprom_fields, type) == 40, "type is not at 40");
_Static_assert(offsetof(struct eeprom_fields, bridged) == 41, "bridged is not at 41");
_Static_assert(offsetof(struct eeprom_fields, size) == 42, "size is not at 42");
_Static_assert(offsetof(struct eeprom_fields, gap_ms) == 44, "gap_ms is not at 44");
_Static_assert(offsetof(struct eeprom_fields, identifiers) == 46, "identifiers is not at 46");
_Static_assert(offsetof(struct eeprom_fields, renewal_ms) == 47, "renewal_ms is not at 47");
_Static_assert(offsetof(struct eeprom_fields, killed) == 51, "killed is not at 51");
_Static_assert(offsetof(struct eeprom_fields, kill_at_ms) == 52, "kill_at_ms is not at 52");
_Static_assert(offsetof(struct eeprom_fields, revive_after_ms) == 56, "revive_after_ms is not at 56");
_Static_assert(offsetof(struct eeprom_fields, offered_count) == 60, "offered_count is not at 60");
_Static_assert(offsetof(struct eeprom_fields, asked_count) == 61, "asked_count is not at 61");
_Static_assert(offsetof(struct eeprom_fields, neighbours_count) == 62, "neighbours_count is not at 62");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* The numbers of words. */
enum {
  EEPROM_FIELDS_START_INSTRUCTOR = 1,
  EEPROM_FIELDS_START_AT_ONCE = 2,
  EEPROM_FIELDS_TABLES_GATEWAY = 1,
  EEPROM_FIELDS_TABLES_BASE_STATION = 2,
  EEPROM_FIELDS_TYPE_NONE = 0,
  EEPROM_FIELDS_TYPE_CLIMATE = 1,
};

/* Where the items of offered begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_offered_at(void)
{
  return 61;
}
static inline uint8_t
eeprom_fields_offered(uint8_t i)
{
  uint8_t item = 0;

  eeprom_read(eeprom_fields_offered_at() + 1 * i, (unsigned char *)&item, 1);
  return item;
}
static inline uint8_t
eeprom_fields_offered_count(void)
{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_offered_at() - 1, &count, 1);
  return count;
}

/* Where the items of asked begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_asked_at(void)
{
  return eeprom_fields_offered_at() + 1 * eeprom_fields_offered_count() + 1;
}
static inline uint8_t
eeprom_fields_asked(uint8_t i)
{
  uint8_t item = 0;

  eeprom_read(eeprom_fields_asked_at() + 1 * i, (unsigned char *)&item, 1);
  return item;
}
static inline uint8_t
eeprom_fields_asked_count(void)
{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_asked_at() - 1, &count, 1);
  return count;
}

/* Where the items of neighbours begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_neighbours_at(void)
{
  return eeprom_fields_asked_at() + 1 * eeprom_fields_asked_count() + 1;
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
  if(!eeprom_read(0, (unsigned char *)fields + 0, 61)) {
    return false;
  }
  if(!eeprom_read(eeprom_fields_offered_at() + 1 * eeprom_fields_offered_count(), (unsigned char *)fields + 61, 1)) {
    return false;
  }
  if(!eeprom_read(eeprom_fields_asked_at() + 1 * eeprom_fields_asked_count(), (unsigned char *)fields + 62, 1)) {
    return false;
  }
  return fields->magic == 20313;
}

#endif
