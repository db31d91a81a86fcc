/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic of the policy language. It gives the same results on every processor
 * and in the reference interpreter (orchestrator/features/policies/arithmetic.py): `int` has
 * 16 bits as on the paper's Tmote Sky, `long` 32, in two's complement, and they wrap.
 * What C leaves undefined has a result here and counts a fault.
 */
#ifndef POLICY_ARITHMETIC_H_
#define POLICY_ARITHMETIC_H_

#include <stdbool.h>
#include <stdint.h>

enum policy_fault {
  POLICY_FAULT_DIVISION, /* by zero: the result is 0 */
  POLICY_FAULT_INDEX,    /* outside of a vector: the nearest element is taken */
  POLICY_FAULT_TURNS,    /* a loop went round too often: it is left */
  POLICY_FAULT_ARGUMENT, /* an event's argument is missing or of another kind: it is zero */
  POLICY_FAULT_RANGE,    /* a value is out of its type: the nearest value is taken */
  POLICY_FAULT_QUEUE,    /* no room for an action's operation: it is dropped */
  POLICY_FAULTS          /* how many there are */
};

/* Count a fault. The policy manager defines it. */
void policy_fault(enum policy_fault what);

/* Unsigned arithmetic of at least 16 bits has the low bits right, whatever the width of int. */
#define POLICY_WRAPPING(name, type, wide) \
  static inline type name##_add(type a, type b) { return (type)((wide)a + (wide)b); } \
  static inline type name##_subtract(type a, type b) { return (type)((wide)a - (wide)b); } \
  static inline type name##_multiply(type a, type b) { return (type)((wide)a * (wide)b); } \
  static inline type name##_negate(type a) { return (type)(0u - (wide)a); } \
  static inline type name##_complement(type a) { return (type)~(wide)a; } \
  static inline type name##_left(type a, uint8_t by) \
  { \
    return (type)(by < sizeof(type) * 8 ? (wide)a << by : 0u); \
  }

POLICY_WRAPPING(int, int16_t, unsigned)
POLICY_WRAPPING(uint, uint16_t, unsigned)
POLICY_WRAPPING(long, int32_t, uint32_t)
POLICY_WRAPPING(ulong, uint32_t, uint32_t)

int16_t int_divide(int16_t a, int16_t b);
int16_t int_modulo(int16_t a, int16_t b);
uint16_t uint_divide(uint16_t a, uint16_t b);
uint16_t uint_modulo(uint16_t a, uint16_t b);
int32_t long_divide(int32_t a, int32_t b);
int32_t long_modulo(int32_t a, int32_t b);
uint32_t ulong_divide(uint32_t a, uint32_t b);
uint32_t ulong_modulo(uint32_t a, uint32_t b);
float float_divide(float a, float b);

/* Shifts to the right are arithmetic; a shift by the width or more leaves 0, or -1 of a negative number. */
int16_t int_right(int16_t a, uint8_t by);
uint16_t uint_right(uint16_t a, uint8_t by);
int32_t long_right(int32_t a, uint8_t by);
uint32_t ulong_right(uint32_t a, uint8_t by);

/* A shift's count of any type: those beyond 255, and negative ones, are 255. */
uint8_t policy_shift(int32_t by);

/* Towards zero; the nearest of the type if it is out of it, 0 for NaN (POLICY_FAULT_RANGE). */
int32_t float_to_long(float value);
uint32_t float_to_ulong(float value);

/* |a|, and the distance of two numbers (the paper's abs of two arguments), at most the largest number. */
int16_t int_abs(int16_t a);
int16_t int_distance(int16_t a, int16_t b);
int32_t long_abs(int32_t a);
int32_t long_distance(int32_t a, int32_t b);

/* An index into a vector of `size` elements. */
uint16_t policy_index(int32_t index, uint16_t size);

/* Whether a loop may go round once more; `turns` counts those of one action. */
bool policy_turn(uint16_t *turns);

#endif
