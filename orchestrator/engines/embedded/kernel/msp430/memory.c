/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/memory.h"

#include "base/memory.h"

enum { REGISTERS_END = 0x200, MIRROR_END = 0xa00, MIRROR_OFFSET = 0xf00 };

static enum page
page_of(uint32_t address)
{
  if(address < REGISTERS_END) {
    return PAGE_REGISTERS;
  }
  if(address < MIRROR_END) {
    return PAGE_MIRROR;
  }
  if(address >= INFORMATION_BEGIN && address < INFORMATION_END) {
    return PAGE_FLASH;
  }
  if(address >= RAM_BEGIN && address < RAM_END) {
    return PAGE_RAM;
  }
  return address >= MAIN_FLASH_BEGIN ? PAGE_FLASH : PAGE_NONE;
}

/* Pages of flash can be read without its controller unless that is busy; a word at 0xffff reaches beyond the memory. */
void
memory_map(struct msp430 *mcu)
{
  for(unsigned page = 0; page < PAGES; page++) {
    enum page kind = page_of(page * PAGE_BYTES);
    unsigned flags = 0;
    if(kind == PAGE_RAM) {
      flags = PAGE_READ | PAGE_WRITE;
    } else if(kind == PAGE_FLASH && !mcu->flash.busy && page < PAGES - 1) {
      flags = PAGE_READ;
    }
    for(unsigned i = 0; mcu->watched != NULL && i < PAGE_BYTES / 8; i++) {
      if(mcu->watched[page * PAGE_BYTES / 8 + i]) {
        flags &= ~(unsigned)PAGE_WRITE;
      }
    }
    mcu->pages[page] = (uint8_t)(kind | flags);
  }
}

int32_t
memory_read_slow(struct msp430 *mcu, uint32_t address, bool word)
{
  enum page kind = address < MSP430_MEMORY ? mcu->pages[address / PAGE_BYTES] & PAGE_KIND : PAGE_NONE;

  if(kind == PAGE_NONE) {
    msp430_fail(mcu, MSP430_ILLEGAL_READ, address);
  }
  if(kind == PAGE_REGISTERS) {
    return mcu->peripherals->each[mcu->peripherals->at[address]].read(mcu, address, word);
  }
  if(kind == PAGE_MIRROR) {
    address += MIRROR_OFFSET;
  } else if(kind == PAGE_FLASH && mcu->flash.busy) {
    mcu->peripherals->read_flash(mcu);
  }
  if(word && address == MSP430_MEMORY - 1) {
    msp430_fail(mcu, MSP430_ILLEGAL_READ, MSP430_MEMORY);
  }
  return word ? mcu->memory[address] | mcu->memory[address + 1] << 8 : mcu->memory[address];
}

void
memory_write_slow(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  enum page kind = address < MSP430_MEMORY ? mcu->pages[address / PAGE_BYTES] & PAGE_KIND : PAGE_NONE;
  uint32_t place = kind == PAGE_MIRROR ? address + MIRROR_OFFSET : address;

  switch(kind) {
  case PAGE_REGISTERS:
    mcu->peripherals->each[mcu->peripherals->at[address]].write(mcu, address, value & (word ? 0xffff : 0xff), word);
    break;
  case PAGE_FLASH:
    mcu->peripherals->write_flash(mcu, address, value, word);
    break;
  case PAGE_MIRROR:
  case PAGE_RAM:
    mcu->memory[place] = (uint8_t)value;
    if(word) {
      mcu->memory[place + 1] = (uint8_t)(value >> 8);
    }
    break;
  default:
    msp430_fail(mcu, MSP430_ILLEGAL_WRITE, address);
  }
  if(mcu->watched != NULL && (mcu->watched[address / 8] >> address % 8 & 1) && mcu->board->written != NULL) {
    mcu->board->written(mcu->context, address);
  }
}

static void
set_watch(struct msp430 *mcu, uint32_t address, uint32_t size, bool on)
{
  if(mcu->watched == NULL) {
    mcu->watched = allocate(MSP430_MEMORY / 8, 1);
  }
  for(uint32_t at = address; at - address < size && at < MSP430_MEMORY; at++) {
    uint8_t bit = (uint8_t)(1 << at % 8);
    mcu->watched[at / 8] = on ? mcu->watched[at / 8] | bit : mcu->watched[at / 8] & (uint8_t)~bit;
  }
  memory_map(mcu);
}

void
msp430_watch(struct msp430 *mcu, uint32_t address, uint32_t size)
{
  set_watch(mcu, address, size, true);
}

void
msp430_unwatch(struct msp430 *mcu, uint32_t address, uint32_t size)
{
  set_watch(mcu, address, size, false);
}

uint8_t *
msp430_memory(struct msp430 *mcu)
{
  return mcu->memory;
}
