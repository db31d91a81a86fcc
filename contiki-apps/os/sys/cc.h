/* SPDX-License-Identifier: Apache-2.0 */
/* Compiler helpers under Contiki's names. */
#ifndef CC_H_
#define CC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CC_ALIGN(n) __attribute__((aligned(n)))
#define CC_NORETURN __attribute__((noreturn))
#define CC_DEPRECATED(message) __attribute__((deprecated(message)))
#define CC_ACCESS_NOW(type, variable) (*(volatile type *)&(variable))

#define CC_CONCAT2(a, b) a##b
#define CC_CONCAT(a, b) CC_CONCAT2(a, b)
#define CC_CONCAT_EXT_2(a, b) CC_CONCAT2(a, b)
#define CC_CONCAT3(a, b, c) a##b##c
#define CC_CONCAT_EXT_3(a, b, c) CC_CONCAT3(a, b, c)

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef ABS
#define ABS(n) ((n) < 0 ? -(n) : (n))
#endif
#ifndef BOUND
#define BOUND(a, minimum, maximum) MIN(MAX(a, minimum), maximum)
#endif

#ifndef static_assert
#define static_assert _Static_assert
#endif

#endif
