/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses in the 32 bits of a word. Where a pointer has more (a mote in Cooja,
 * a test), the address is kept as the distance from a variable of this module;
 * static memory and functions of the same program are near enough to it.
 */
#ifndef BLACKBOARD_HANDLER_H_
#define BLACKBOARD_HANDLER_H_

#include <stdint.h>
#include "blackboard.h"

#if UINTPTR_MAX > 0xffffffff
#define BLACKBOARD_HANDLER_ORIGIN ((uintptr_t)&blackboard_state)
#else
#define BLACKBOARD_HANDLER_ORIGIN 0
#endif

static inline uint32_t
blackboard_handler_to_word(uintptr_t address)
{
  return address == 0 ? 0 : (uint32_t)(address - BLACKBOARD_HANDLER_ORIGIN);
}

static inline uintptr_t
blackboard_handler_from_word(uint32_t word)
{
  return word == 0 ? 0 : BLACKBOARD_HANDLER_ORIGIN + (intptr_t)(int32_t)word;
}

#endif
