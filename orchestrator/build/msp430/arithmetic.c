/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic that clang calls for an MSP430 without hardware multiplier (SLAA534, MSP430 EABI, 6.3). Only shifts by one bit
   and additions, so that none calls itself. */
#include <stdint.h>

#define MULTIPLY(type, name)                                                                                                   \
  type name(type a, type b)                                                                                                    \
  {                                                                                                                            \
    type product = 0;                                                                                                          \
                                                                                                                               \
    for(; b != 0; b >>= 1, a <<= 1) {                                                                                          \
      if(b & 1) {                                                                                                              \
        product += a;                                                                                                          \
      }                                                                                                                        \
    }                                                                                                                          \
    return product;                                                                                                            \
  }

/* Restoring division; by 0 gives all ones, and the dividend as remainder. */
#define DIVIDE(type, bits, name)                                                                                               \
  static type name(type dividend, type divisor, type *remainder)                                                               \
  {                                                                                                                            \
    type rest = 0;                                                                                                             \
                                                                                                                               \
    for(uint8_t i = 0; i < bits; i++) {                                                                                        \
      uint8_t carry = (rest >> (bits - 1)) & 1;                                                                                \
      rest = (type)(rest << 1) | ((dividend >> (bits - 1)) & 1);                                                               \
      dividend <<= 1;                                                                                                          \
      if(carry || rest >= divisor) {                                                                                           \
        rest -= divisor;                                                                                                       \
        dividend |= 1;                                                                                                         \
      }                                                                                                                        \
    }                                                                                                                          \
    *remainder = rest;                                                                                                         \
    return dividend;                                                                                                           \
  }

#define FOUR(type, of_signed, divide, quotient, rest, signed_quotient, signed_rest)                                            \
  type quotient(type a, type b)                                                                                                \
  {                                                                                                                            \
    type remainder;                                                                                                            \
    return divide(a, b, &remainder);                                                                                           \
  }                                                                                                                            \
  type rest(type a, type b)                                                                                                    \
  {                                                                                                                            \
    type remainder;                                                                                                            \
    divide(a, b, &remainder);                                                                                                  \
    return remainder;                                                                                                          \
  }                                                                                                                            \
  of_signed signed_quotient(of_signed a, of_signed b)                                                                          \
  {                                                                                                                            \
    type remainder, result = divide(a < 0 ? -(type)a : (type)a, b < 0 ? -(type)b : (type)b, &remainder);                       \
    return (of_signed)((a < 0) != (b < 0) ? -result : result);                                                                 \
  }                                                                                                                            \
  of_signed signed_rest(of_signed a, of_signed b)                                                                              \
  {                                                                                                                            \
    type remainder;                                                                                                            \
    divide(a < 0 ? -(type)a : (type)a, b < 0 ? -(type)b : (type)b, &remainder);                                                \
    return (of_signed)(a < 0 ? -remainder : remainder);                                                                        \
  }

MULTIPLY(uint16_t, __mspabi_mpyi)
MULTIPLY(uint32_t, __mspabi_mpyl)
__attribute__((used)) MULTIPLY(uint64_t, multiply64_)
DIVIDE(uint16_t, 16, divide16)
DIVIDE(uint32_t, 32, divide32)
DIVIDE(uint64_t, 64, divide64)
FOUR(uint16_t, int16_t, divide16, __mspabi_divu, __mspabi_remu, __mspabi_divi, __mspabi_remi)
FOUR(uint32_t, int32_t, divide32, __mspabi_divul, __mspabi_remul, __mspabi_divli, __mspabi_remli)
FOUR(uint64_t, int64_t, divide64, divide64_, rest64_, signed_divide64_, signed_rest64_)

/* Factors and divisors of 64 bits come in r8 to r11 and r12 to r15, where C has the second on the stack. */
#define WIDE(name, function)                                                                                                   \
  __attribute__((naked, used, section(".text." #name))) void name(void)                                                        \
  {                                                                                                                            \
    __asm__("push r15\n\tpush r14\n\tpush r13\n\tpush r12\n\t"                                                                 \
            "mov r8, r12\n\tmov r9, r13\n\tmov r10, r14\n\tmov r11, r15\n\tcall #" #function "\n\tadd #8, r1\n\tret");         \
  }
WIDE(__mspabi_mpyll, multiply64_)
WIDE(__mspabi_divull, divide64_)
WIDE(__mspabi_remull, rest64_)
WIDE(__mspabi_divlli, signed_divide64_)
WIDE(__mspabi_remlli, signed_rest64_)

#define SHIFT(type, name, operation)                                                                                           \
  type name(type value, uint16_t count)                                                                                        \
  {                                                                                                                            \
    for(; count > 0; count--) {                                                                                                \
      __asm__ volatile("" : "+r"(count)); /* or clang makes one shift of it, which calls this */                               \
      value = value operation 1;                                                                                               \
    }                                                                                                                          \
    return value;                                                                                                              \
  }
SHIFT(uint16_t, __mspabi_slli, <<)
SHIFT(uint16_t, __mspabi_srli, >>)
SHIFT(int16_t, __mspabi_srai, >>)
SHIFT(uint32_t, __mspabi_slll, <<)
SHIFT(uint32_t, __mspabi_srll, >>)
SHIFT(int32_t, __mspabi_sral, >>)
