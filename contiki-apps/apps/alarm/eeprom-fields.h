/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of alarm, field by field. Made from application.yaml by
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
  uint16_t parent;
  uint8_t index;
  uint8_t publishers_through;
  uint8_t trace;
  uint32_t seed;
  uint32_t duration_ms;
  uint32_t drain_ms;
  uint32_t warm_up_ms;
  uint32_t deadline_us;
  uint8_t tasks;
  uint32_t task_us;
  uint32_t rest_us;
  uint32_t interval_us;
  uint32_t conversion_us;
  uint32_t work_us;
  int32_t limit;
  uint8_t neighbours_count;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 56, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, magic) == 0, "magic is not at 0");
_Static_assert(offsetof(struct eeprom_fields, role) == 2, "role is not at 2");
_Static_assert(offsetof(struct eeprom_fields, mote) == 3, "mote is not at 3");
_Static_assert(offsetof(struct eeprom_fields, parent) == 5, "parent is not at 5");
_Static_assert(offsetof(struct eeprom_fields, index) == 7, "index is not at 7");
_Static_assert(offsetof(struct eeprom_fields, publishers_through) == 8, "publishers_through is not at 8");
_Static_assert(offsetof(struct eeprom_fields, trace) == 9, "trace is not at 9");
_Static_assert(offsetof(struct eeprom_fields, seed) == 10, "seed is not at 10");
_Static_assert(offsetof(struct eeprom_fields, duration_ms) == 14, "duration_ms is not at 14");
_Static_assert(offsetof(struct eeprom_fields, drain_ms) == 18, "drain_ms is not at 18");
_Static_assert(offsetof(struct eeprom_fields, warm_up_ms) == 22, "warm_up_ms is not at 22");
_Static_assert(offsetof(struct eeprom_fields, deadline_us) == 26, "deadline_us is not at 26");
_Static_assert(offsetof(struct eeprom_fields, tasks) == 30, "tasks is not at 30");
_Static_assert(offsetof(struct eeprom_fields, task_us) == 31, "task_us is not at 31");
_Static_assert(offsetof(struct eeprom_fields, rest_us) == 35, "rest_us is not at 35");
_Static_assert(offsetof(struct eeprom_fields, interval_us) == 39, "interval_us is not at 39");
_Static_assert(offsetof(struct eeprom_fields, conversion_us) == 43, "conversion_us is not at 43");
_Static_assert(offsetof(struct eeprom_fields, work_us) == 47, "work_us is not at 47");
_Static_assert(offsetof(struct eeprom_fields, limit) == 51, "limit is not at 51");
_Static_assert(offsetof(struct eeprom_fields, neighbours_count) == 55, "neighbours_count is not at 55");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* The numbers of words. */
enum {
  EEPROM_FIELDS_ROLE_SUBSCRIBER = 1,
  EEPROM_FIELDS_ROLE_PUBLISHER = 2,
  EEPROM_FIELDS_ROLE_RELAY = 3,
};

/* Where the items of neighbours begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_neighbours_at(void)
{
  return 56;
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
  if(!eeprom_read(0, (unsigned char *)fields + 0, 56)) {
    return false;
  }
  return fields->magic == 20309;
}

#endif
