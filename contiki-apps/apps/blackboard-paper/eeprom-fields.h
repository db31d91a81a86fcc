/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EEPROM image of blackboard-paper, field by field. Made from application.yaml by
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
  uint8_t runs;
  uint8_t trace;
  uint8_t gives_up;
  uint8_t adapts;
  uint8_t phase;
  uint32_t seed;
  uint32_t duration_ms;
  uint32_t drain_ms;
  uint32_t extra_work_us;
  uint32_t deadline_us;
  uint32_t publisher_cost_us;
  uint32_t subscriber_cost_us;
} __attribute__((packed));

_Static_assert(sizeof(struct eeprom_fields) == 36, "struct eeprom_fields is not packed");
_Static_assert(offsetof(struct eeprom_fields, magic) == 0, "magic is not at 0");
_Static_assert(offsetof(struct eeprom_fields, layout) == 2, "layout is not at 2");
_Static_assert(offsetof(struct eeprom_fields, runs) == 3, "runs is not at 3");
_Static_assert(offsetof(struct eeprom_fields, trace) == 4, "trace is not at 4");
_Static_assert(offsetof(struct eeprom_fields, gives_up) == 5, "gives_up is not at 5");
_Static_assert(offsetof(struct eeprom_fields, adapts) == 6, "adapts is not at 6");
_Static_assert(offsetof(struct eeprom_fields, phase) == 7, "phase is not at 7");
_Static_assert(offsetof(struct eeprom_fields, seed) == 8, "seed is not at 8");
_Static_assert(offsetof(struct eeprom_fields, duration_ms) == 12, "duration_ms is not at 12");
_Static_assert(offsetof(struct eeprom_fields, drain_ms) == 16, "drain_ms is not at 16");
_Static_assert(offsetof(struct eeprom_fields, extra_work_us) == 20, "extra_work_us is not at 20");
_Static_assert(offsetof(struct eeprom_fields, deadline_us) == 24, "deadline_us is not at 24");
_Static_assert(offsetof(struct eeprom_fields, publisher_cost_us) == 28, "publisher_cost_us is not at 28");
_Static_assert(offsetof(struct eeprom_fields, subscriber_cost_us) == 32, "subscriber_cost_us is not at 32");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the image is little-endian");

/* The numbers of words. */
enum {
  EEPROM_FIELDS_RUNS_SUBSCRIBER = 1,
  EEPROM_FIELDS_RUNS_PUBLISHER = 0,
  EEPROM_FIELDS_PHASE_SEED = 0,
  EEPROM_FIELDS_PHASE_PUBLICATION = 1,
};

/* Bytes of the image; more than EEPROM_SIZE: its last items are not there. */
static inline unsigned
eeprom_fields_size(void)
{
  return 36;
}

/* Read the fields. False if this is no image of the application's, or it is cut short. */
static inline bool
eeprom_fields_read(struct eeprom_fields *fields)
{
  if(!eeprom_read(0, (unsigned char *)fields + 0, 36)) {
    return false;
  }
  return fields->magic == 20311
    && fields->layout == 1;
}

#endif
