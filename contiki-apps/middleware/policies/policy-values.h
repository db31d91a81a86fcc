/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values that events carry. Each knows its kind: a topic's values may be clear
 * at one enforcement point and encrypted at the next, and a frame from another mote
 * may hold anything.
 */
#ifndef POLICY_VALUES_H_
#define POLICY_VALUES_H_

#include <stdbool.h>
#include <stdint.h>
#include "policy-conf.h"

/* An encrypted value, as the authentication and encryption components make it. */
struct policy_sealed {
  uint8_t octets[POLICY_SEALED_SIZE];
};

enum policy_kind {
  POLICY_NUMBER, /* every integer type and bool; a uint32 in two's complement */
  POLICY_REAL,
  POLICY_SEALED
};

struct policy_value {
  enum policy_kind kind;
  union {
    int32_t number;
    float real;
    struct policy_sealed sealed;
  } as;
};

struct policy_event;

/*
 * An argument of an event as a value of a type. One that is missing or of another
 * kind is zero and counts POLICY_FAULT_ARGUMENT; a number out of its type is the
 * nearest of the type and counts POLICY_FAULT_RANGE. A number serves as a float, and
 * a float as a number, converted as float_to_long() does.
 */
int8_t policy_int8(const struct policy_event *event, uint8_t index);
uint8_t policy_uint8(const struct policy_event *event, uint8_t index);
int16_t policy_int(const struct policy_event *event, uint8_t index);
uint16_t policy_uint16(const struct policy_event *event, uint8_t index);
int32_t policy_long(const struct policy_event *event, uint8_t index);
uint32_t policy_uint32(const struct policy_event *event, uint8_t index);
bool policy_bool(const struct policy_event *event, uint8_t index);
float policy_float(const struct policy_event *event, uint8_t index);
struct policy_sealed policy_sealed(const struct policy_event *event, uint8_t index);

static inline struct policy_value
policy_number_value(int32_t number)
{
  struct policy_value value;

  value.kind = POLICY_NUMBER;
  value.as.number = number; /* the union's other octets are nobody's */
  return value;
}

static inline struct policy_value
policy_real_value(float real)
{
  struct policy_value value;

  value.kind = POLICY_REAL;
  value.as.real = real;
  return value;
}

static inline struct policy_value
policy_sealed_value(struct policy_sealed sealed)
{
  return (struct policy_value) { .kind = POLICY_SEALED, .as = { .sealed = sealed } };
}

#endif
