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

#endif
