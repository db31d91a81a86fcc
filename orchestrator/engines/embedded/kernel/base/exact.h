/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Include it where floating-point results decide something: a sum of products
 * rounds as written, or the same simulation differs between machines with and
 * without fused multiply-add.
 */
#ifndef EXACT_H
#define EXACT_H

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#include <math.h>
#include <stdint.h>

/* A double to int as Java converts: toward zero, not a number is 0, saturating. */
static inline int
to_int(double value)
{
  if(isnan(value)) {
    return 0;
  }
  return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int)value;
}

#endif
