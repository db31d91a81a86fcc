/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/multiplier.h"

enum { MPY = 0x130, MACS = 0x136, OP2 = 0x138, RESLO = 0x13a, RESHI = 0x13c, SUMEXT = 0x13e };

int32_t
multiplier_read(struct msp430 *mcu, uint32_t address, bool word)
{
  const struct multiplier *multiplier = &mcu->multiplier;

  (void)word;
  if(address % 2 == 0 && address <= MACS) {
    return multiplier->operands[(address - MPY) / 2];
  }
  switch(address) {
  case OP2:
    return multiplier->second;
  case RESLO:
    return multiplier->low;
  case RESHI:
    return multiplier->high;
  case SUMEXT:
    return multiplier->extension;
  default:
    return 0;
  }
}

static void
multiply(struct multiplier *multiplier, bool word)
{
  int64_t result;

  if(multiplier->is_signed) {
    if(!word) {
      multiplier->first |= multiplier->first > 0x80 ? 0xff00 : 0;
      multiplier->second |= multiplier->second > 0x80 ? 0xff00 : 0;
    }
    multiplier->first -= multiplier->first > 0x8000 ? 0x10000 : 0;
    multiplier->second -= multiplier->second > 0x8000 ? 0x10000 : 0;
  }
  result = (int64_t)multiplier->first * multiplier->second;
  multiplier->extension = multiplier->is_signed && result < 0 ? 0xffff : 0;
  if(multiplier->accumulates) {
    result += ((int64_t)multiplier->high << 16) + multiplier->low;
    if(!multiplier->is_signed) {
      multiplier->extension = result > 0xffffffffLL;
    }
  }
  multiplier->high = (int32_t)(result >> 16 & 0xffff);
  multiplier->low = (int32_t)(result & 0xffff);
}

void
multiplier_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct multiplier *multiplier = &mcu->multiplier;

  if(address % 2 == 0 && address <= MACS) {
    unsigned which = (address - MPY) / 2; /* MPY, MPYS, MAC, MACS */
    multiplier->operands[which] = multiplier->first = value;
    multiplier->is_signed = which & 1;
    multiplier->accumulates = which & 2;
  } else if(address == RESLO) {
    multiplier->low = value;
  } else if(address == RESHI) {
    multiplier->high = value;
  } else if(address == OP2) {
    multiplier->second = value;
    multiply(multiplier, word);
  }
}
