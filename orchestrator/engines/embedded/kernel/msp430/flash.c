/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/flash.h"

#include "base/exact.h"
#include "msp430/cpu.h"
#include "msp430/events.h"
#include "msp430/interrupts.h"
#include "msp430/memory.h"

#include <string.h>

enum { FCTL1 = 0x128, FCTL2 = 0x12a, FCTL3 = 0x12c, READ_KEY = 0x9600, WRITE_KEY = 0xa5 };
enum { ERASE = 0x06, WRITE = 0x40, BLOCK = 0x80 };                                              /* FCTL1 */
enum { DIVIDER = 0x3f, FROM_ACLK = 0, FROM_MCLK = 1, AFTER_RESET = 0x42 };                       /* FCTL2 */
enum { BUSY = 0x01, KEY_VIOLATION = 0x02, ACCESS_VIOLATION = 0x04, WAIT = 0x08, LOCK = 0x10, EMERGENCY_EXIT = 0x20 };
enum { ACCESS_INTERRUPT_ON = 0x20 };                                                            /* IE1 */
/* Durations in ticks of the controller's clock. */
enum { ERASE_ALL_TICKS = 5297, ERASE_TICKS = 4819, WRITE_TICKS = 35, FIRST_TICKS = 30, NEXT_TICKS = 21, END_TICKS = 6 };
enum { MAIN_SEGMENT = 512, INFORMATION_SEGMENT = 128, BLOCK_WRITES = 64 };

static void
set_busy(struct msp430 *mcu, bool busy)
{
  if(mcu->flash.busy != busy) {
    mcu->flash.busy = busy;
    memory_map(mcu);
  }
  mcu->uncached = busy;
  interrupts_attend(mcu);
}

static void
finished(struct msp430_event *event, int64_t time)
{
  struct flash *flash = MSP430_AROUND(event, struct flash, event);
  struct msp430 *mcu = flash->mcu;

  (void)time;
  flash->holds_cpu = false;
  switch(flash->operation) {
  case FLASH_NONE:
    break;
  case FLASH_ERASE_SEGMENT:
  case FLASH_ERASE_MAIN:
  case FLASH_ERASE_ALL:
    flash->mode = 0;
    flash->operation = FLASH_NONE;
    set_busy(mcu, false);
    break;
  case FLASH_WRITE:
    set_busy(mcu, false);
    break;
  case FLASH_WRITE_BLOCK:
    flash->block_writes++;
    if(flash->block_writes == BLOCK_WRITES) {
      flash->operation = FLASH_END_BLOCK;
    }
    flash->waiting = true;
    break;
  case FLASH_END_BLOCK:
    flash->operation = FLASH_NONE;
    set_busy(mcu, false);
    flash->waiting = true;
    flash->mode = 0;
    break;
  }
  interrupts_attend(mcu);
}

static bool
in_flash(uint32_t address)
{
  return (address >= MAIN_FLASH_BEGIN && address < MSP430_MEMORY) ||
         (address >= INFORMATION_BEGIN && address < INFORMATION_END);
}

static void
begin(struct msp430 *mcu, int32_t ticks)
{
  struct flash *flash = &mcu->flash;
  int32_t divider = (flash->clock & DIVIDER) + 1, source = flash->clock >> 6 & 3;

  set_busy(mcu, true);
  if(in_flash(mcu->registers[MSP430_PC])) {
    flash->holds_cpu = true;
  }
  if(source == FROM_MCLK) { /* a cycle of long ago */
    msp430_at_cycle(mcu, &flash->event, (int64_t)ticks * divider);
  } else {
    msp430_in_ms(mcu, &flash->event,
                 (double)ticks * divider * 1000 / (source == FROM_ACLK ? mcu->aclk_hz : mcu->smclk_hz));
  }
  interrupts_attend(mcu);
}

static void
violate(struct msp430 *mcu)
{
  mcu->flash.status |= ACCESS_VIOLATION;
  if(mcu->special.enable[0] & ACCESS_INTERRUPT_ON) {
    interrupt_flag(mcu, NMI_INTERRUPT, &mcu->flash.source, true);
  }
}

void
flash_read_busy(struct msp430 *mcu)
{
  violate(mcu);
}

static void
erase(struct msp430 *mcu, uint32_t first, uint32_t end)
{
  memset(mcu->memory + first, 0xff, end - first);
  cpu_forget(mcu, first, end);
}

/* Flash's bits can be cleared only. */
static void
program(struct msp430 *mcu, uint32_t address, int32_t byte)
{
  if(address >= MSP430_MEMORY) {
    msp430_fail(mcu, MSP430_ILLEGAL_WRITE, address);
  }
  if(mcu->memory[address] & ~byte & 0xff) {
    mcu->memory[address] &= (uint8_t)byte;
    cpu_forget(mcu, address, address + 1);
  }
}

void
flash_write_memory(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct flash *flash = &mcu->flash;
  uint32_t segment = address >= MAIN_FLASH_BEGIN ? MAIN_SEGMENT : INFORMATION_SEGMENT;
  int32_t ticks = WRITE_TICKS;

  if(flash->locked) {
    return;
  }
  if((flash->busy || !flash->waiting) && !((flash->mode & BLOCK) && flash->waiting)) {
    violate(mcu);
    return;
  }
  switch(flash->operation) {
  case FLASH_ERASE_SEGMENT:
    erase(mcu, address - address % segment, address - address % segment + segment);
    begin(mcu, ERASE_TICKS);
    break;
  case FLASH_ERASE_MAIN:
    if(address >= MAIN_FLASH_BEGIN) {
      erase(mcu, MAIN_FLASH_BEGIN, MSP430_MEMORY);
      begin(mcu, ERASE_ALL_TICKS);
    }
    break;
  case FLASH_ERASE_ALL:
    erase(mcu, INFORMATION_BEGIN, MSP430_MEMORY);
    begin(mcu, ERASE_ALL_TICKS);
    break;
  case FLASH_WRITE_BLOCK:
    flash->waiting = false;
    ticks = flash->block_writes == 0 ? FIRST_TICKS : NEXT_TICKS;
    /* fall through */
  case FLASH_WRITE:
    program(mcu, address, value);
    if(word) {
      program(mcu, address + 1, value >> 8);
    }
    begin(mcu, ticks);
    break;
  default:
    break;
  }
}

int32_t
flash_read(struct msp430 *mcu, uint32_t address, bool word)
{
  const struct flash *flash = &mcu->flash;

  (void)word;
  switch(address) {
  case FCTL1:
    return flash->mode | READ_KEY;
  case FCTL2:
    return flash->clock | READ_KEY;
  case FCTL3:
    return flash->status | READ_KEY | (flash->busy ? BUSY : 0) | (flash->locked ? LOCK : 0) | (flash->waiting ? WAIT : 0);
  default:
    return 0;
  }
}

static void
write_mode(struct msp430 *mcu, int32_t value)
{
  static const enum flash_operation erasing[] = {FLASH_NONE, FLASH_ERASE_SEGMENT, FLASH_ERASE_MAIN, FLASH_ERASE_ALL};
  struct flash *flash = &mcu->flash;

  if(flash->busy && (!(flash->mode & BLOCK) || !flash->waiting)) {
    violate(mcu);
    return;
  }
  if((flash->mode ^ value) & ERASE) {
    if(!(flash->mode & ERASE)) {
      flash->operation = erasing[(value & ERASE) >> 1];
    }
    flash->mode = (flash->mode & ~ERASE) | (value & ERASE);
  }
  if((flash->mode ^ value) & WRITE) {
    if((value & WRITE) && (value & BLOCK)) {
      flash->operation = FLASH_WRITE_BLOCK;
      flash->block_writes = 0;
      flash->mode |= BLOCK;
    } else if(value & WRITE) {
      flash->operation = FLASH_WRITE;
    }
    flash->mode = (flash->mode & ~WRITE) | (value & WRITE);
  }
  if((flash->mode & BLOCK) && !(value & BLOCK)) {
    flash->operation = FLASH_END_BLOCK;
    begin(mcu, END_TICKS);
    flash->mode &= ~BLOCK;
  }
}

static void
write_status(struct msp430 *mcu, int32_t value)
{
  struct flash *flash = &mcu->flash;

  if(!(flash->status & EMERGENCY_EXIT) && (value & EMERGENCY_EXIT)) {
    flash->mode = 0;
    set_busy(mcu, false);
    flash->waiting = true;
    flash->locked = true;
    flash->operation = FLASH_NONE;
  }
  flash->locked = value & LOCK;
  flash->status ^= (flash->status ^ value) & (KEY_VIOLATION | ACCESS_VIOLATION);
}

void
flash_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct flash *flash = &mcu->flash;

  if(!word || (address != FCTL1 && address != FCTL2 && address != FCTL3)) {
    return;
  }
  if(value >> 8 != WRITE_KEY) {
    flash->status |= KEY_VIOLATION;
    msp430_notice(mcu, MSP430_FLASH_PASSWORD);
    interrupt_flag(mcu, RESET_INTERRUPT, &flash->source, true);
    return;
  }
  value &= 0xff;
  if(address == FCTL1) {
    write_mode(mcu, value);
  } else if(address == FCTL3) {
    write_status(mcu, value);
  } else if(flash->busy) {
    violate(mcu);
  } else {
    flash->clock = value;
  }
}

static void
serviced(struct msp430 *mcu, struct interrupt_source *source, int number)
{
  interrupt_flag(mcu, number, source, false);
}

void
flash_init(struct msp430 *mcu)
{
  mcu->flash = (struct flash){.source.serviced = serviced, .mcu = mcu, .event.run = finished, .clock = AFTER_RESET,
                              .locked = true, .waiting = true};
}

void
msp430_memory_changed(struct msp430 *mcu, uint32_t address, uint32_t size)
{
  uint32_t end = address < MSP430_MEMORY && size < MSP430_MEMORY - address ? address + size : MSP430_MEMORY;

  cpu_forget(mcu, address < MSP430_MEMORY ? address : MSP430_MEMORY, end);
}
