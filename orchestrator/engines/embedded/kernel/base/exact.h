/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Include this file where floating-point results matter. It makes a sum of products round as it is written; otherwise the
 * same simulation would differ between machines with and without fused multiply-add.
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

/* Converts a double to int as Java does: toward zero, saturating, and 0 for NaN. */
static inline int
to_int(double value)
{
  if(isnan(value)) {
    return 0;
  }
  return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int)value;
}

#endif
