/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses in the 32 bits of a word. Where a pointer has more (a mote in Cooja,
 * a test), it is the distance from a variable of this module, which static
 * memory and functions of the same program are near to.
 */
#ifndef BLACKBOARD_HANDLER_H_
#define BLACKBOARD_HANDLER_H_

#include <stdint.h>
#include "blackboard.h"

#if UINTPTR_MAX > 0xffffffff
#define HANDLER_ORIGIN ((uintptr_t)&blackboard_state)
#else
#define HANDLER_ORIGIN 0
#endif

static inline uint32_t
handler_to_word(uintptr_t address)
{
  return address == 0 ? 0 : (uint32_t)(address - HANDLER_ORIGIN);
}

static inline uintptr_t
handler_from_word(uint32_t word)
{
  return word == 0 ? 0 : HANDLER_ORIGIN + (intptr_t)(int32_t)word;
}

#endif
