/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison and conversion of IEEE 754 single precision, as the compiler calls them (SLAA534, 6.3). What adds, multiplies and
   divides is not here: a firmware that does so isn't linked. */
#include <stdbool.h>
#include <stdint.h>

#define SIGN UINT32_C(0x80000000)
#define INFINITY_BITS UINT32_C(0x7f800000)
#define FRACTION_BITS 23
#define BIAS 127

static uint32_t
bits_of(float value)
{
  union {
    float value;
    uint32_t bits;
  } both = { value };

  return both.bits;
}

static float
float_of(uint32_t bits)
{
  union {
    uint32_t bits;
    float value;
  } both = { bits };

  return both.value;
}

/* In the order of the numbers; both zeros are 0. */
static int32_t
ordered(uint32_t bits)
{
  return bits & SIGN ? -(int32_t)(bits & ~SIGN) : (int32_t)bits;
}

/* Less than, equal to or greater than 0; greater where one of them is no number. */
int
__mspabi_cmpf(float a, float b)
{
  int32_t left = ordered(bits_of(a)), right = ordered(bits_of(b));

  if((bits_of(a) & ~SIGN) > INFINITY_BITS || (bits_of(b) & ~SIGN) > INFINITY_BITS) {
    return 1;
  }
  return left < right ? -1 : left > right;
}

/* The magnitude without its fraction; at most `most`, also for what is no number. */
static uint32_t
truncated(uint32_t bits, uint32_t most)
{
  int16_t exponent = (int16_t)(bits >> FRACTION_BITS & 0xff) - BIAS;
  uint32_t fraction = (bits & ((UINT32_C(1) << FRACTION_BITS) - 1)) | UINT32_C(1) << FRACTION_BITS;
  uint32_t magnitude;

  if(exponent < 0) {
    return 0;
  }
  if(exponent > 31) {
    return most;
  }
  magnitude = exponent >= FRACTION_BITS ? fraction << (exponent - FRACTION_BITS) : fraction >> (FRACTION_BITS - exponent);
  return magnitude > most ? most : magnitude;
}

int32_t
__mspabi_fixfli(float value)
{
  uint32_t bits = bits_of(value);
  bool negative = bits & SIGN;
  uint32_t magnitude = truncated(bits & ~SIGN, negative ? SIGN : SIGN - 1);

  return (int32_t)(negative ? -magnitude : magnitude);
}

/* 0 for negative numbers. */
uint32_t
__mspabi_fixful(float value)
{
  uint32_t bits = bits_of(value);

  return bits & SIGN ? 0 : truncated(bits, UINT32_MAX);
}

/* The nearest, of two the even one. */
static uint32_t
rounded(uint32_t magnitude)
{
  int16_t exponent = BIAS + 31;
  uint32_t rest;

  if(magnitude == 0) {
    return 0;
  }
  while(!(magnitude & SIGN)) {
    magnitude <<= 1;
    exponent--;
  }
  rest = magnitude & 0xff;
  magnitude >>= 8;
  if(rest > 0x80 || (rest == 0x80 && (magnitude & 1))) {
    magnitude++; /* up to the next power of 2, whose fraction is 0 as well */
  }
  return ((uint32_t)(exponent - 1) << FRACTION_BITS) + magnitude;
}

float
__mspabi_fltulf(uint32_t value)
{
  return float_of(rounded(value));
}

float
__mspabi_fltlif(int32_t value)
{
  return float_of(value < 0 ? SIGN | rounded(-(uint32_t)value) : rounded((uint32_t)value));
}
