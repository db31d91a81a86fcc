/* SPDX-License-Identifier: Apache-2.0 */
#include "policy-arithmetic.h"
#include "policy-conf.h"

#define DIVIDING(name, type, quotient, remainder) \
  type name##_divide(type a, type b) \
  { \
    if(b == 0) { \
      policy_fault(POLICY_FAULT_DIVISION); \
      return 0; \
    } \
    return quotient; \
  } \
  type name##_modulo(type a, type b) \
  { \
    if(b == 0) { \
      policy_fault(POLICY_FAULT_DIVISION); \
      return 0; \
    } \
    return remainder; \
  }

/* The quotient of the most negative number and -1 wraps, as 0 - a does. */
#define SIGNED(name, type) \
  DIVIDING(name, type, b == -1 ? name##_negate(a) : (type)(a / b), b == -1 ? 0 : (type)(a % b))
#define UNSIGNED(name, type) DIVIDING(name, type, (type)(a / b), (type)(a % b))

/*---------------------------------------------------------------------------*/
SIGNED(int, int16_t)
SIGNED(long, int32_t)
UNSIGNED(uint, uint16_t)
UNSIGNED(ulong, uint32_t)
/*---------------------------------------------------------------------------*/
float
float_divide(float a, float b)
{
  if(!(b < 0 || b > 0)) { /* 0 or NaN */
    policy_fault(POLICY_FAULT_DIVISION);
    return 0;
  }
  return a / b;
}
/*---------------------------------------------------------------------------*/
/* A negative number is turned into its complement: how C shifts negative ones is up to the compiler. */
#define SHIFTING(name, type) \
  type name##_right(type a, uint8_t by) \
  { \
    if(by >= sizeof(type) * 8) { \
      return a < 0 ? (type)-1 : 0; \
    } \
    return a < 0 ? (type)~(type)((type)~a >> by) : (type)(a >> by); \
  }

SHIFTING(int, int16_t)
SHIFTING(long, int32_t)
/*---------------------------------------------------------------------------*/
uint16_t
uint_right(uint16_t a, uint8_t by)
{
  return by < 16 ? (uint16_t)(a >> by) : 0;
}
/*---------------------------------------------------------------------------*/
uint32_t
ulong_right(uint32_t a, uint8_t by)
{
  return by < 32 ? a >> by : 0;
}
/*---------------------------------------------------------------------------*/
uint8_t
policy_shift(int32_t by)
{
  return by < 0 || by > 255 ? 255 : (uint8_t)by;
}
/*---------------------------------------------------------------------------*/
int32_t
float_to_long(float value)
{
  if(value >= -2147483648.0f && value < 2147483648.0f) {
    return (int32_t)value;
  }
  policy_fault(POLICY_FAULT_RANGE);
  return value > 0 ? INT32_MAX : value < 0 ? INT32_MIN : 0;
}
/*---------------------------------------------------------------------------*/
uint32_t
float_to_ulong(float value)
{
  if(value > -1.0f && value < 4294967296.0f) {
    return (uint32_t)value;
  }
  policy_fault(POLICY_FAULT_RANGE);
  return value > 0 ? UINT32_MAX : 0;
}
/*---------------------------------------------------------------------------*/
int16_t
int_abs(int16_t a)
{
  return int_distance(a, 0);
}
/*---------------------------------------------------------------------------*/
int16_t
int_distance(int16_t a, int16_t b)
{
  uint16_t apart = a > b ? (uint16_t)((uint16_t)a - (uint16_t)b)
                         : (uint16_t)((uint16_t)b - (uint16_t)a);
  return apart > INT16_MAX ? INT16_MAX : (int16_t)apart;
}
/*---------------------------------------------------------------------------*/
int32_t
long_abs(int32_t a)
{
  return long_distance(a, 0);
}
/*---------------------------------------------------------------------------*/
int32_t
long_distance(int32_t a, int32_t b)
{
  uint32_t apart = a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a;
  return apart > INT32_MAX ? INT32_MAX : (int32_t)apart;
}
/*---------------------------------------------------------------------------*/
uint16_t
policy_index(int32_t index, uint16_t size)
{
  if(index >= 0 && index < (int32_t)size) {
    return (uint16_t)index;
  }
  policy_fault(POLICY_FAULT_INDEX);
  return index < 0 ? 0 : (uint16_t)(size - 1);
}
/*---------------------------------------------------------------------------*/
bool
policy_turn(uint16_t *turns)
{
  if(*turns < POLICY_MOST_TURNS) {
    ++*turns;
    return true;
  }
  policy_fault(POLICY_FAULT_TURNS);
  return false;
}
