/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

/*---------------------------------------------------------------------------*/
static int32_t
number_within(const struct policy_event *event, uint8_t index, int32_t least, int32_t most)
{
  int32_t number = policy_long(event, index);

  if(number >= least && number <= most) {
    return number;
  }
  policy_fault(POLICY_FAULT_RANGE);
  return number < least ? least : most;
}
/*---------------------------------------------------------------------------*/
int8_t
policy_int8(const struct policy_event *event, uint8_t index)
{
  return (int8_t)number_within(event, index, INT8_MIN, INT8_MAX);
}
/*---------------------------------------------------------------------------*/
uint8_t
policy_uint8(const struct policy_event *event, uint8_t index)
{
  return (uint8_t)number_within(event, index, 0, UINT8_MAX);
}
/*---------------------------------------------------------------------------*/
int16_t
policy_int(const struct policy_event *event, uint8_t index)
{
  return (int16_t)number_within(event, index, INT16_MIN, INT16_MAX);
}
/*---------------------------------------------------------------------------*/
uint16_t
policy_uint16(const struct policy_event *event, uint8_t index)
{
  return (uint16_t)number_within(event, index, 0, UINT16_MAX);
}
/*---------------------------------------------------------------------------*/
int32_t
policy_long(const struct policy_event *event, uint8_t index)
{
  if(index < event->count) {
    const struct policy_value *value = &event->arguments[index];

    if(value->kind == POLICY_NUMBER) {
      return value->as.number;
    }
    if(value->kind == POLICY_REAL) {
      return float_to_long(value->as.real);
    }
  }
  policy_fault(POLICY_FAULT_ARGUMENT);
  return 0;
}
/*---------------------------------------------------------------------------*/
uint32_t
policy_uint32(const struct policy_event *event, uint8_t index)
{
  if(index < event->count && event->arguments[index].kind == POLICY_REAL) {
    return float_to_ulong(event->arguments[index].as.real);
  }
  return (uint32_t)policy_long(event, index);
}
/*---------------------------------------------------------------------------*/
bool
policy_bool(const struct policy_event *event, uint8_t index)
{
  return policy_long(event, index) != 0;
}
/*---------------------------------------------------------------------------*/
float
policy_float(const struct policy_event *event, uint8_t index)
{
  if(index < event->count && event->arguments[index].kind == POLICY_REAL) {
    return event->arguments[index].as.real;
  }
  return (float)policy_long(event, index);
}
/*---------------------------------------------------------------------------*/
struct policy_sealed
policy_sealed(const struct policy_event *event, uint8_t index)
{
  static const struct policy_sealed nothing;

  if(index < event->count && event->arguments[index].kind == POLICY_SEALED) {
    return event->arguments[index].as.sealed;
  }
  policy_fault(POLICY_FAULT_ARGUMENT);
  return nothing;
}
