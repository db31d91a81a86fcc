/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map of the F1611: registers of peripherals below 0x200, the mirror of the RAM's first 2 KB at 0x200, information
 * memory at 0x1000, RAM from 0x1100 to 0x38ff, main flash from 0x4000. Elsewhere is nothing, and an access is a fault. Words at
 * odd addresses are read and written as MSPSim does, from that address on.
 *
 * A value that is read from a peripheral may have more bits than were asked for, as in MSPSim, and flags are worked out from them.
 */
#ifndef MSP430_MEMORY_H
#define MSP430_MEMORY_H

#include "msp430/state.h"

enum { RAM_BEGIN = 0x1100, RAM_END = 0x3900, MAIN_FLASH_BEGIN = 0x4000, INFORMATION_BEGIN = 0x1000, INFORMATION_END = 0x1100 };

void memory_map(struct msp430 *mcu);

int32_t memory_read_slow(struct msp430 *mcu, uint32_t address, bool word);
void memory_write_slow(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

/* Has an access to it no effect but on the memory? */
static inline __attribute__((always_inline)) bool
memory_is_plain(const struct msp430 *mcu, uint32_t address, unsigned access)
{
  return __builtin_expect(address < MSP430_MEMORY && (mcu->pages[address / PAGE_BYTES] & access), true);
}

static inline int32_t
memory_read(struct msp430 *mcu, uint32_t address, bool word)
{
  if(memory_is_plain(mcu, address, PAGE_READ)) {
    const uint8_t *byte = mcu->memory + address;
    return word ? byte[0] | byte[1] << 8 : byte[0];
  }
  return memory_read_slow(mcu, address, word);
}

static inline void
memory_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  if(memory_is_plain(mcu, address, PAGE_WRITE)) {
    uint8_t *byte = mcu->memory + address;
    byte[0] = (uint8_t)value;
    if(word) {
      byte[1] = (uint8_t)(value >> 8);
    }
    return;
  }
  memory_write_slow(mcu, address, value, word);
}

/* The words of an instruction as they are in the memory; 0 behind its end. */
static inline void
memory_words(const struct msp430 *mcu, uint32_t address, uint16_t words[3])
{
  for(unsigned i = 0; i < 3; i++, address += 2) {
    words[i] = address < MSP430_MEMORY ? (uint16_t)(mcu->memory[address] | mcu->memory[address + 1] << 8) : 0;
  }
}

#endif
