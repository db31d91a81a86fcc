/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of distribution, field by field. Made from application.yaml by
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
  uint8_t node;
  uint8_t radio;
  uint32_t least_us;
  uint8_t shortest;
  uint8_t trace;
  uint32_t seed;
  uint32_t duration_ms;
  uint32_t drain_ms;
  uint32_t warm_up_ms;
  uint32_t clock_ms;
  uint32_t clock_step_us;
  uint8_t motes_count;
  uint8_t tasks_count;
  uint8_t links_count;
  uint8_t names_count;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 40, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, magic) == 0, "magic is not at 0");
_Static_assert(offsetof(struct eeprom_fields, mote) == 2, "mote is not at 2");
_Static_assert(offsetof(struct eeprom_fields, node) == 4, "node is not at 4");
_Static_assert(offsetof(struct eeprom_fields, radio) == 5, "radio is not at 5");
_Static_assert(offsetof(struct eeprom_fields, least_us) == 6, "least_us is not at 6");
_Static_assert(offsetof(struct eeprom_fields, shortest) == 10, "shortest is not at 10");
_Static_assert(offsetof(struct eeprom_fields, trace) == 11, "trace is not at 11");
_Static_assert(offsetof(struct eeprom_fields, seed) == 12, "seed is not at 12");
_Static_assert(offsetof(struct eeprom_fields, duration_ms) == 16, "duration_ms is not at 16");
_Static_assert(offsetof(struct eeprom_fields, drain_ms) == 20, "drain_ms is not at 20");
_Static_assert(offsetof(struct eeprom_fields, warm_up_ms) == 24, "warm_up_ms is not at 24");
_Static_assert(offsetof(struct eeprom_fields, clock_ms) == 28, "clock_ms is not at 28");
_Static_assert(offsetof(struct eeprom_fields, clock_step_us) == 32, "clock_step_us is not at 32");
_Static_assert(offsetof(struct eeprom_fields, motes_count) == 36, "motes_count is not at 36");
_Static_assert(offsetof(struct eeprom_fields, tasks_count) == 37, "tasks_count is not at 37");
_Static_assert(offsetof(struct eeprom_fields, links_count) == 38, "links_count is not at 38");
_Static_assert(offsetof(struct eeprom_fields, names_count) == 39, "names_count is not at 39");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* The numbers of words. */
enum {
  EEPROM_FIELDS_RADIO_MODELLED = 0,
  EEPROM_FIELDS_RADIO_RADIO = 1,
};

/* Where the items of motes begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_motes_at(void)
{
  return 37;
}
static inline uint16_t
eeprom_fields_motes(uint8_t i)
{
  uint16_t item = 0;

  eeprom_read(eeprom_fields_motes_at() + 2 * i, (unsigned char *)&item, 2);
  return item;
}
static inline uint8_t
eeprom_fields_motes_count(void)
{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_motes_at() - 1, &count, 1);
  return count;
}

/* Where the items of tasks begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_tasks_at(void)
{
  return eeprom_fields_motes_at() + 2 * eeprom_fields_motes_count() + 1;
}
static inline uint32_t
eeprom_fields_tasks(uint8_t i)
{
  uint32_t item = 0;

  eeprom_read(eeprom_fields_tasks_at() + 4 * i, (unsigned char *)&item, 4);
  return item;
}
static inline uint8_t
eeprom_fields_tasks_count(void)
{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_tasks_at() - 1, &count, 1);
  return count;
}

/* Where the items of links begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_links_at(void)
{
  return eeprom_fields_tasks_at() + 4 * eeprom_fields_tasks_count() + 1;
}
static inline uint32_t
eeprom_fields_links(uint8_t i)
{
  uint32_t item = 0;

  eeprom_read(eeprom_fields_links_at() + 4 * i, (unsigned char *)&item, 4);
  return item;
}
static inline uint8_t
eeprom_fields_links_count(void)
{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_links_at() - 1, &count, 1);
  return count;
}

/* Where the items of names begin, and item i of them. */
static inline eeprom_addr_t
eeprom_fields_names_at(void)
{
  return eeprom_fields_links_at() + 4 * eeprom_fields_links_count() + 1;
}
static inline uint8_t
eeprom_fields_names(uint8_t i)
{
  uint8_t item = 0;

  eeprom_read(eeprom_fields_names_at() + 1 * i, (unsigned char *)&item, 1);
  return item;
}
static inline uint8_t
eeprom_fields_names_count(void)
{
  unsigned char count = 0;

  eeprom_read(eeprom_fields_names_at() - 1, &count, 1);
  return count;
}

/* Bytes of the image; more than EEPROM_SIZE: its last items are not there. */
static inline unsigned
eeprom_fields_size(void)
{
  return eeprom_fields_names_at() + 1 * eeprom_fields_names_count();
}

/* Read the fields. False if this is no image of the application's, or it is cut short. */
static inline bool
eeprom_fields_read(struct eeprom_fields *fields)
{
  if(!eeprom_read(0, (unsigned char *)fields + 0, 37)) {
    return false;
  }
  if(!eeprom_read(eeprom_fields_motes_at() + 2 * eeprom_fields_motes_count(), (unsigned char *)fields + 37, 1)) {
    return false;
  }
  if(!eeprom_read(eeprom_fields_tasks_at() + 4 * eeprom_fields_tasks_count(), (unsigned char *)fields + 38, 1)) {
    return false;
  }
  if(!eeprom_read(eeprom_fields_links_at() + 4 * eeprom_fields_links_count(), (unsigned char *)fields + 39, 1)) {
    return false;
  }
  return fields->magic == 20321;
}

#endif
