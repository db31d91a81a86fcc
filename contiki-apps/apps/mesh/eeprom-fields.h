/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of mesh, field by field. Made from application.yaml by
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
  uint16_t mote;
  uint16_t ender;
  uint8_t subscriber;
  uint8_t publisher;
  uint8_t killed;
  uint8_t topics;
  uint8_t trace;
  uint32_t seed;
  uint32_t duration_ms;
  uint32_t drain_ms;
  uint32_t kill_at_ms;
  uint32_t revive_after_ms;
  uint32_t renewal_ms;
  uint32_t interval_ms;
  uint32_t warm_up_ms;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 44, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, magic) == 0, "magic is not at 0");
_Static_assert(offsetof(struct eeprom_fields, layout) == 2, "layout is not at 2");
_Static_assert(offsetof(struct eeprom_fields, mote) == 3, "mote is not at 3");
_Static_assert(offsetof(struct eeprom_fields, ender) == 5, "ender is not at 5");
_Static_assert(offsetof(struct eeprom_fields, subscriber) == 7, "subscriber is not at 7");
_Static_assert(offsetof(struct eeprom_fields, publisher) == 8, "publisher is not at 8");
_Static_assert(offsetof(struct eeprom_fields, killed) == 9, "killed is not at 9");
_Static_assert(offsetof(struct eeprom_fields, topics) == 10, "topics is not at 10");
_Static_assert(offsetof(struct eeprom_fields, trace) == 11, "trace is not at 11");
_Static_assert(offsetof(struct eeprom_fields, seed) == 12, "seed is not at 12");
_Static_assert(offsetof(struct eeprom_fields, duration_ms) == 16, "duration_ms is not at 16");
_Static_assert(offsetof(struct eeprom_fields, drain_ms) == 20, "drain_ms is not at 20");
_Static_assert(offsetof(struct eeprom_fields, kill_at_ms) == 24, "kill_at_ms is not at 24");
_Static_assert(offsetof(struct eeprom_fields, revive_after_ms) == 28, "revive_after_ms is not at 28");
_Static_assert(offsetof(struct eeprom_fields, renewal_ms) == 32, "renewal_ms is not at 32");
_Static_assert(offsetof(struct eeprom_fields, interval_ms) == 36, "interval_ms is not at 36");
_Static_assert(offsetof(struct eeprom_fields, warm_up_ms) == 40, "warm_up_ms is not at 40");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* Bytes of the image; more than EEPROM_SIZE: its last items are not there. */
static inline unsigned
eeprom_fields_size(void)
{
  return 44;
}

/* Read the fields. False if this is no image of the application's, or it is cut short. */
static inline bool
eeprom_fields_read(struct eeprom_fields *fields)
{
  if(!eeprom_read(0, (unsigned char *)fields + 0, 44)) {
    return false;
  }
  return fields->magic == 20307
    && fields->layout == 2;
}

#endif
