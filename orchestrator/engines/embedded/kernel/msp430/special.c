/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/special.h"

#include "msp430/interrupts.h"

#include <string.h>

enum { IE1, IE2, IFG1, IFG2, ME1, ME2, OTHERS };

/* The modules' bits in both registers, and the numbers of their interrupts. */
enum { WATCHDOG_BIT = 0, USART0_RECEIVED = 6, USART0_SENT = 7, USART1_RECEIVED = 12, USART1_SENT = 13 };

static const int8_t INTERRUPT_OF[SPECIAL_BITS] = {10, -1, -1, -1, -1, -1, 9, 8, -1, -1, -1, -1, 3, 2, -1, -1};

static void
serviced(struct msp430 *mcu, struct interrupt_source *source, int number)
{
  struct special *special = &mcu->special;
  unsigned bit = special->triggered_by[number];

  special->triggered[number] = false;
  if(!special->keep_flag[number]) {
    special->flags[bit / 8] &= ~(1 << bit % 8);
  }
  interrupt_flag(mcu, number, source, false);
}

void
special_reset(struct msp430 *mcu)
{
  struct special *special = &mcu->special;

  special->source.serviced = serviced;
  memset(special->enable, 0, sizeof(special->enable));
  memset(special->flags, 0, sizeof(special->flags));
  memset(special->modules, 0, sizeof(special->modules));
  memset(special->triggered, 0, sizeof(special->triggered));
  memset(special->keep_flag, 0, sizeof(special->keep_flag));
}

/* Flags interrupts whose bits have changed to on. One that is flagged isn't taken back here. */
static void
update(struct msp430 *mcu, unsigned number, int32_t changed)
{
  struct special *special = &mcu->special;
  int32_t due = special->enable[number] & special->flags[number];

  for(unsigned i = 0; i < 8; i++) {
    unsigned bit = number * 8 + i;
    int interrupt = INTERRUPT_OF[bit];
    if((changed >> i & 1) && interrupt >= 0 && !special->triggered[interrupt] && (due >> i & 1)) {
      special->triggered[interrupt] = true;
      special->triggered_by[interrupt] = (uint8_t)bit;
      interrupt_flag(mcu, interrupt, &special->source, true);
    }
  }
}

static void
enable_modules(struct msp430 *mcu, int32_t changed, int32_t value, unsigned number)
{
  for(unsigned i = 0; i < 8; i++) {
    unsigned bit = number * 8 + i;
    bool on = value >> i & 1;
    if(!(changed >> i & 1)) {
      continue;
    }
    if(bit == USART0_RECEIVED || bit == USART1_RECEIVED) {
      mcu->usarts[number].receiver_on = on;
    } else if(bit == USART0_SENT || bit == USART1_SENT) {
      mcu->usarts[number].transmitter_on = on;
    }
  }
}

int32_t
special_read(struct msp430 *mcu, uint32_t address, bool word)
{
  struct special *special = &mcu->special;

  (void)word;
  return address < IFG1 ? special->enable[address] : address < ME1 ? special->flags[address - IFG1] :
         address < OTHERS ? special->modules[address - ME1] : special->others[address];
}

void
special_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct special *special = &mcu->special;
  unsigned number = address % 2;

  (void)word;
  if(address < OTHERS) {
    int32_t *place = address < IFG1 ? &special->enable[number] : address < ME1 ? &special->flags[number] :
                                                                                 &special->modules[number];
    int32_t changed = *place ^ value;
    *place = value;
    if(address < ME1) {
      update(mcu, number, changed);
    } else {
      enable_modules(mcu, changed, value, number);
    }
  }
  special->others[address] = value;
  mcu->memory[address] = (uint8_t)value;
}

void
special_set_flags(struct msp430 *mcu, unsigned number, int32_t bits)
{
  int32_t changed = bits & ~mcu->special.flags[number];

  mcu->special.flags[number] |= bits;
  update(mcu, number, changed);
}

void
special_clear_flags(struct msp430 *mcu, unsigned number, int32_t bits)
{
  int32_t changed = bits & mcu->special.flags[number];

  mcu->special.flags[number] &= ~bits;
  update(mcu, number, changed);
}
