/* SPDX-License-Identifier: Apache-2.0 */
/* Values as the data of an event. */
#include <string.h>
#include "policy-manager.h"
#include "pubsub-octets.h"

/* The first octet of a value that is no number; of a number it is its size. */
#define REAL 5
#define SEALED 6
/*---------------------------------------------------------------------------*/
static uint8_t
size_of(uint8_t tag)
{
  switch(tag) {
  case 1:
  case 2:
  case 4:
    return tag;
  case REAL:
    return 4;
  case SEALED:
    return POLICY_SEALED_SIZE;
  default:
    return 0;
  }
}
/*---------------------------------------------------------------------------*/
static uint8_t
tag_of(const struct policy_value *value)
{
  if(value->kind != POLICY_NUMBER) {
    return value->kind == POLICY_REAL ? REAL : SEALED;
  }
  if(value->as.number == (int8_t)value->as.number) {
    return 1;
  }
  return value->as.number == (int16_t)value->as.number ? 2 : 4;
}
/*---------------------------------------------------------------------------*/
uint8_t
policy_manager_encode(uint8_t *data, const struct policy_value *values, uint8_t count)
{
  uint8_t i, tag, size, at = 0, octet;
  uint32_t number;

  for(i = 0; i < count; i++) {
    tag = tag_of(&values[i]);
    size = size_of(tag);
    if(at + 1 + size > PUBSUB_MAX_DATA) {
      return 0;
    }
    data[at++] = tag;
    if(tag == SEALED) {
      memcpy(data + at, &values[i].as.sealed, size);
    } else {
      number = (uint32_t)values[i].as.number; /* a float's octets, too */
      for(octet = 0; octet < size; octet++) {
        data[at + octet] = number & 0xff;
        number >>= 8;
      }
    }
    at += size;
  }
  return at;
}
/*---------------------------------------------------------------------------*/
/* A number of that many octets, with its sign. */
static int32_t
number_at(const uint8_t *at, uint8_t size)
{
  switch(size) {
  case 1:
    return (int8_t)*at;
  case 2:
    return (int16_t)pubsub_get16(at);
  default:
    return (int32_t)pubsub_get32(at);
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_decode(struct policy_value *values, uint8_t *count,
                      const uint8_t *data, uint8_t length)
{
  uint8_t at = 0, tag, size;

  for(*count = 0; at < length; (*count)++) {
    tag = data[at++];
    size = size_of(tag);
    if(size == 0 || size > length - at || *count == POLICY_ARGUMENTS) {
      return false;
    }
    if(tag == SEALED) {
      values->kind = POLICY_SEALED;
      memcpy(&values->as.sealed, data + at, size);
    } else {
      values->kind = tag == REAL ? POLICY_REAL : POLICY_NUMBER;
      values->as.number = number_at(data + at, size);
    }
    values++;
    at += size;
  }
  return true;
}
