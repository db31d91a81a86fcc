/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of aggregation, field by field. Made from application.yaml by
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
  uint8_t layout;
  uint8_t role;
  uint16_t mote;
  uint16_t parent;
  uint16_t control;
  uint16_t subscriber;
  uint8_t index;
  uint8_t publishers;
  uint8_t publishers_through;
  uint8_t trace;
  uint8_t rate;
  uint8_t aggregate;
  uint8_t full;
  uint32_t seed;
  int32_t duration_ms;
  int32_t drain_ms;
  int32_t begins_ms;
  uint32_t high_min_ms;
  uint32_t high_max_ms;
  uint32_t low_interval_ms;
  uint32_t delay_ms;
  uint32_t jitter_ms;
  uint32_t timeout_ms;
  uint8_t merge;
  uint8_t hold;
  uint8_t deployed_where;
  uint8_t deployed_percent;
  uint16_t depth;
  uint16_t deepest;
  uint8_t last_first;
  uint8_t topic;
  uint16_t second_parent;
  uint8_t second_through;
  uint8_t neighbours_count;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 73, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, magic) == 0, "magic is not at 0");
_Static_assert(offsetof(struct eeprom_fields, layout) == 2, "layout is not at 2");
_Static_assert(offsetof(struct eeprom_fields, role) == 3, "role is not at 3");
_Static_assert(offsetof(struct eeprom_fields, mote) == 4, "mote is not at 4");
_Static_assert(offsetof(struct eeprom_fields, parent) == 6, "parent is not at 6");
_Static_assert(offsetof(struct eeprom_fields, control) == 8, "control is not at 8");
_Static_assert(offsetof(struct eeprom_fields, subscriber) == 10, "subscriber is not at 10");
_Static_assert(offsetof(struct eeprom_fields, index) == 12, "index is not at 12");
_Static_assert(offsetof(struct eeprom_fields, publishers) == 13, "publishers is not at 13");
_Static_assert(offsetof(struct eeprom_fields, publishers_through) == 14, "publishers_through is not at 14");
_Static_assert(offsetof(struct eeprom_fields, trace) == 15, "trace is not at 15");
_Static_assert(offsetof(struct eeprom_fields, rate) == 16, "rate is not at 16");
_Static_assert(offsetof(struct eeprom_fields, aggregate) == 17, "aggregate is not at 17");
_Static_assert(offsetof(struct eeprom_fields, full) == 18, "full is not at 18");
_Static_assert(offsetof(struct eeprom_fields, seed) == 19, "seed is not at 19");
_Static_assert(offsetof(struct eeprom_fields, duration_ms) == 23, "duration_ms is not at 23");
_Static_assert(offsetof(struct eeprom_fields, drain_ms) == 27, "drain_ms is not at 27");
_Static_assert(offsetof(struct eeprom_fields, begins_ms) == 31, "begins_ms is not at 31");
_Static_assert(offsetof(struct eeprom_fields, high_min_ms) == 35, "high_min_ms is not at 35");
_Static_assert(offsetof(struct eeprom_fields, high_max_ms) == 39, "high_max_ms is not at 39");
_Static_assert(offsetof(struct eeprom_fields, low_interval_ms) == 43, "low_interval_ms is not at 43");
_Static_assert(offsetof(struct eeprom_fields, delay_ms) == 47, "delay_ms is not at 47");
_Static_assert(offsetof(struct eeprom_fields, jitter_ms) == 51, "jitter_ms is not at 51");
_Static_assert(offsetof(struct eeprom_fields, timeout_ms) == 55, "timeout_ms is not at 55");
_Static_assert(offsetof(struct eeprom_fields, merge) == 59, "merge is not at 59");
_Static_assert(offsetof(struct eeprom_fields, hold) == 60, "hold is not at 60");
_Static_assert(offsetof(struct eeprom_fields, deployed_where) == 61, "deployed_where is not at 61");
_Static_assert(offsetof(struct eeprom_fields, deployed_percent) == 62, "deployed_percent is not at 62");
_Static_assert(offsetof(struct eeprom_fields, depth) == 63, "depth is not at 63");
_Static_assert(offsetof(struct eeprom_fields, deepest) == 65, "deepest is not at 65");
_Static_assert(offsetof(struct eeprom_fields, last_first) == 67, "last_first is not at 67");
_Static_assert(offsetof(struct eeprom_fields, topic) == 68, "topic is not at 68");
_Static_assert(offsetof(struct eeprom_fields, second_parent) == 69, "second_parent is not at 69");
_Static_assert(offsetof(struct eeprom_fields, second_through) == 71, "second_through is not at 71");
_Static_assert(offsetof(struct eeprom_fields, neighbours_count) == 72, "neighbours_count is not at 72");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* The numbers of words. */
enum {
  EEPROM_FIELDS_ROLE_SUBSCRIBER = 1,
  EEPROM_FIELDS_ROLE_PUBLISHER = 2,
  EEPROM_FIELDS_ROLE_RELAY = 3,
  EEPROM_FIELDS_ROLE_CONTROL = 4,
  EEPROM_FIELDS_RATE_HIGH = 1,
  EEPROM_FIELDS_RATE_LOW = 2,
  EEPROM_FIELDS_FULL_ROUTE = 1,
  EEPROM_FIELDS_FULL_NETWORK = 2,
  EEPROM_FIELDS_MERGE_MEAN = 1,
  EEPROM_FIELDS_MERGE_SUM = 2,
  EEPROM_FIELDS_MERGE_MIN = 3,
  EEPROM_FIELDS_MERGE_MAX = 4,
  EEPROM_FIELDS_MERGE_COUNT = 5,
  EEPROM_FIELDS_MERGE_HISTOGRAM = 6,
  EEPROM_FIELDS_HOLD_TIMEOUT = 1,
  EEPROM_FIELDS_HOLD_SHRINKING = 2,
  EEPROM_FIELDS_HOLD_ENDLESS = 3,
  EEPROM_FIELDS_DEPLOYED_WHERE_SPREAD = 1,
  EEPROM_FIELDS_DEPLOYED_WHERE_NEAR = 2,
  EEPROM_FIELDS_DEPLOYED_WHERE_FAR = 3,
  EEPROM_FIELDS_LAST_FIRST_NEAR = 0,
  EEPROM_FIELDS_LAST_FIRST_FAR = 1,
};

/* Where the items of neighbours begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_neighbours_at(void)
{
  return 73;
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
  if(!eeprom_read(0, (unsigned char *)fields + 0, 73)) {
    return false;
  }
  return fields->magic == 20306
    && fields->layout == 3;
}

#endif
