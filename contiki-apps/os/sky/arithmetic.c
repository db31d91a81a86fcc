/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler calls where the processor has no instruction (Texas Instruments SLAA534, MSP430 Embedded Application
   Binary Interface, 6.3). By shifts and additions: no multiplier, so that interrupts need not be off. */
#include <stdint.h>

#define MULTIPLY(name, type)                \
  type                                      \
  name(type a, type b)                      \
  {                                         \
    type product = 0;                       \
                                            \
    while(b != 0) {                         \
      if(b & 1) {                           \
        product += a;                       \
      }                                     \
      a <<= 1;                              \
      b >>= 1;                              \
    }                                       \
    return product;                         \
  }

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

MULTIPLY(__mspabi_mpyi, uint16_t)
MULTIPLY(__mspabi_mpyl, uint32_t)
MULTIPLY(multiply_64, uint64_t)
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
QUOTIENT(__mspabi_divul, divide_32, uint32_t)
QUOTIENT(quotient_64, divide_64, uint64_t)
REMAINDER(__mspabi_remu, divide_16, uint16_t)
REMAINDER(__mspabi_remul, divide_32, uint32_t)
REMAINDER(remainder_64, divide_64, uint64_t)

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
