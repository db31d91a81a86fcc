/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler calls where the processor has no instruction (Texas Instruments SLAA534, MSP430 Embedded Application
   Binary Interface, 6.3). Products are the multiplier's, quotients come bit by bit. */
#include <stdint.h>

#include "sky/multiplier.h"

/* The quotient, with the remainder in `rest`; by 0: all ones and the dividend. */
#define DIVIDE(name, type, bits)            \
  static inline __attribute__((always_inline)) type \
  name(type a, type b, type *rest)          \
  {                                         \
    type remainder = 0;                     \
                                            \
    for(uint8_t i = 0; i < (bits); i++) {   \
      uint8_t carry = remainder >> ((bits) - 1) & 1; \
                                            \
      remainder = remainder << 1 | (a >> ((bits) - 1) & 1); \
      a <<= 1;                              \
      if(carry || remainder >= b) {         \
        remainder -= b;                     \
        a |= 1;                             \
      }                                     \
    }                                       \
    *rest = remainder;                      \
    return a;                               \
  }

uint16_t
__mspabi_mpyi(uint16_t a, uint16_t b)
{
  return (uint16_t)multiply(a, b);
}

uint32_t
__mspabi_mpyl(uint32_t a, uint32_t b)
{
  uint16_t a_low = (uint16_t)a, a_high = (uint16_t)(a >> 16), b_low = (uint16_t)b, b_high = (uint16_t)(b >> 16);
  uint32_t product = multiply(a_low, b_low);
  uint16_t cross = 0;

  if(a_high != 0) {
    cross += (uint16_t)multiply(a_high, b_low);
  }
  if(b_high != 0) {
    cross += (uint16_t)multiply(a_low, b_high);
  }
  return product + ((uint32_t)cross << 16);
}

/* Digits of 16 bits, as by hand: a column has the halves of at most four products, and so no more than 19 bits. */
uint64_t
multiply_64(uint64_t a, uint64_t b)
{
  union digits {
    uint64_t number;
    uint16_t digit[4]; /* the lowest first */
  } left = { a }, right = { b }, product;
  uint32_t column[5] = { 0 };

  for(uint8_t i = 0; i < 4; i++) {
    for(uint8_t j = 0; i + j < 4; j++) {
      if(left.digit[i] != 0 && right.digit[j] != 0) {
        uint32_t part = multiply(left.digit[i], right.digit[j]);

        column[i + j] += (uint16_t)part;
        column[i + j + 1] += (uint16_t)(part >> 16);
      }
    }
  }
  for(uint8_t k = 0; k < 4; k++) {
    product.digit[k] = (uint16_t)column[k];
    column[k + 1] += (uint16_t)(column[k] >> 16);
  }
  return product.number;
}

DIVIDE(divide_16, uint16_t, 16)
DIVIDE(divide_32, uint32_t, 32)
DIVIDE(divide_64, uint64_t, 64)

#define QUOTIENT(name, divide, type)        \
  type                                      \
  name(type a, type b)                      \
  {                                         \
    type rest;                              \
                                            \
    return divide(a, b, &rest);             \
  }

#define REMAINDER(name, divide, type)       \
  type                                      \
  name(type a, type b)                      \
  {                                         \
    type rest;                              \
                                            \
    divide(a, b, &rest);                    \
    return rest;                            \
  }

QUOTIENT(__mspabi_divu, divide_16, uint16_t)
QUOTIENT(quotient_32, divide_32, uint32_t)
QUOTIENT(quotient_64, divide_64, uint64_t)
REMAINDER(__mspabi_remu, divide_16, uint16_t)
REMAINDER(remainder_32, divide_32, uint32_t)
REMAINDER(remainder_64, divide_64, uint64_t)

/* Small numbers, which are the most, take half of the time. */
uint32_t
__mspabi_divul(uint32_t a, uint32_t b)
{
  return (a | b) >> 16 == 0 ? __mspabi_divu((uint16_t)a, (uint16_t)b) : quotient_32(a, b);
}

uint32_t
__mspabi_remul(uint32_t a, uint32_t b)
{
  return (a | b) >> 16 == 0 ? __mspabi_remu((uint16_t)a, (uint16_t)b) : remainder_32(a, b);
}

/* Signed ones by their magnitudes; a remainder has the dividend's sign. */
#define SIGNED(name, of, type, unsigned_type, negative) \
  type                                      \
  name(type a, type b)                      \
  {                                         \
    unsigned_type magnitude = of(a < 0 ? -(unsigned_type)a : (unsigned_type)a, \
                                 b < 0 ? -(unsigned_type)b : (unsigned_type)b); \
                                            \
    return (type)((negative) ? -magnitude : magnitude); \
  }

SIGNED(__mspabi_divi, __mspabi_divu, int16_t, uint16_t, (a < 0) != (b < 0))
SIGNED(__mspabi_remi, __mspabi_remu, int16_t, uint16_t, a < 0)
SIGNED(__mspabi_divli, __mspabi_divul, int32_t, uint32_t, (a < 0) != (b < 0))
SIGNED(__mspabi_remli, __mspabi_remul, int32_t, uint32_t, a < 0)
SIGNED(signed_quotient_64, quotient_64, int64_t, uint64_t, (a < 0) != (b < 0))
SIGNED(signed_remainder_64, remainder_64, int64_t, uint64_t, a < 0)

#define SHIFT(name, type, shift)            \
  type                                      \
  name(type value, uint16_t count)          \
  {                                         \
    for(; count > 0; count--) {             \
      value shift;                          \
    }                                       \
    return value;                           \
  }

SHIFT(__mspabi_slli, uint16_t, <<= 1)
SHIFT(__mspabi_srli, uint16_t, >>= 1)
SHIFT(__mspabi_srai, int16_t, >>= 1)
SHIFT(__mspabi_slll, uint32_t, <<= 1)
SHIFT(__mspabi_srll, uint32_t, >>= 1)
SHIFT(__mspabi_sral, int32_t, >>= 1)
SHIFT(__mspabi_sllll, uint64_t, <<= 1)
SHIFT(__mspabi_srlll, uint64_t, >>= 1)
SHIFT(__mspabi_srall, int64_t, >>= 1)
