/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the parts together: which peripheral has which addresses, and in what order they are reset. */
#include "base/memory.h"
#include "msp430/adc12.h"
#include "msp430/clock.h"
#include "msp430/cpu.h"
#include "msp430/dma.h"
#include "msp430/events.h"
#include "msp430/flash.h"
#include "msp430/image.h"
#include "msp430/interrupts.h"
#include "msp430/memory.h"
#include "msp430/multiplier.h"
#include "msp430/port.h"
#include "msp430/special.h"
#include "msp430/stack.h"
#include "msp430/timer.h"
#include "msp430/usart.h"
#include "msp430/watchdog.h"

#include <stdlib.h>
#include <string.h>

enum { NOTHING, SPECIAL, PORT, CLOCK, USART, ADC12, TIMER, WATCHDOG, DMA, FLASH, MULTIPLIER };

/* Where nothing is, Cooja warns, reads 0 and goes on. */
static int32_t
read_nothing(struct msp430 *mcu, uint32_t address, bool word)
{
  (void)mcu;
  (void)address;
  (void)word;
  return 0;
}

static void
write_nothing(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  (void)mcu;
  (void)address;
  (void)value;
  (void)word;
}

static void
reset_peripherals(struct msp430 *mcu)
{
  static const uint8_t ports[PORTS] = {1, 2, 3, 5, 4, 6};

  special_reset(mcu);
  clock_reset(mcu);
  for(unsigned i = 0; i < USARTS; i++) {
    usart_reset(mcu, i);
  }
  for(unsigned i = 0; i < PORTS; i++) {
    port_reset(mcu, ports[i]);
  }
  adc12_reset(mcu);
  for(unsigned i = 0; i < TIMERS; i++) {
    timer_reset(&mcu->timers[i]);
  }
  watchdog_reset(mcu);
}

static const struct peripherals PERIPHERALS = {
  .each = {[NOTHING] = {read_nothing, write_nothing},
           [SPECIAL] = {special_read, special_write},
           [PORT] = {port_read, port_write},
           [CLOCK] = {clock_read, clock_write},
           [USART] = {usart_read, usart_write},
           [ADC12] = {adc12_read, adc12_write},
           [TIMER] = {timer_read, timer_write},
           [WATCHDOG] = {watchdog_read, watchdog_write},
           [DMA] = {dma_read, dma_write},
           [FLASH] = {flash_read, flash_write},
           [MULTIPLIER] = {multiplier_read, multiplier_write}},
  .at = {[0x00 ... 0x0f] = SPECIAL,
         [0x18 ... 0x26] = PORT,
         [0x28 ... 0x2e] = PORT,
         [0x30 ... 0x37] = PORT,
         [0x56 ... 0x58] = CLOCK,
         [0x70 ... 0x7f] = USART,
         [0x80 ... 0x8f] = ADC12,
         [TIMER_B_VECTOR_REGISTER] = TIMER,
         [WDTCTL] = WATCHDOG,
         [0x122] = DMA,
         [0x124] = DMA,
         [0x128 ... 0x12d] = FLASH,
         [TIMER_A_VECTOR_REGISTER] = TIMER,
         [0x12f] = FLASH,
         [0x130 ... 0x13e] = MULTIPLIER,
         [0x140 ... 0x15f] = ADC12,
         [0x160 ... 0x19f] = TIMER,
         [0x1a0 ... 0x1a9] = ADC12,
         [0x1e0 ... 0x1f7] = DMA},
  .reset = reset_peripherals,
  .read_flash = flash_read_busy,
  .write_flash = flash_write_memory,
};

struct msp430 *
msp430_new(const struct msp430_image *image, const struct msp430_board *board, void *context, enum msp430_rules rules)
{
  struct msp430 *mcu = allocate(1, sizeof(*mcu));

  mcu->image = image;
  mcu->board = board;
  mcu->context = context;
  mcu->rules = rules;
  mcu->peripherals = &PERIPHERALS;
  mcu->instructions = image->instructions;
  mcu->profile = image->profile;
  memcpy(mcu->memory, image->memory, sizeof(mcu->memory));
  mcu->highest_interrupt = mcu->serviced_interrupt = NO_INTERRUPT;
  mcu->dco_hz = mcu->smclk_hz = 2500000; /* until the clock module is reset, here below */
  mcu->aclk_hz = 32768;
  mcu->virtual_per_cycle = 1.0;
  mcu->clock.smclk_divider = 1;
  flash_init(mcu);
  memory_map(mcu);
  special_reset(mcu);
  for(unsigned i = 0; i < sizeof(mcu->special.others) / sizeof(*mcu->special.others); i++) {
    mcu->special.others[i] = mcu->memory[i];
  }
  timer_init(mcu);
  usart_init(mcu);
  port_init(mcu);
  adc12_init(mcu);
  watchdog_init(mcu);
  stack_init(mcu, image->data_end);
  clock_reset(mcu);
  msp430_reset(mcu);
  return mcu;
}

void
msp430_free(struct msp430 *mcu)
{
  if(mcu->own_instructions) {
    free(mcu->instructions);
  }
  free(mcu->watched);
  free(mcu);
}

void
msp430_reset(struct msp430 *mcu)
{
  interrupt_flag(mcu, RESET_INTERRUPT, NULL, true);
}

_Noreturn void
msp430_stop_for_chip(struct msp430 *mcu)
{
  msp430_fail(mcu, MSP430_CHIP_MISUSED, mcu->at);
}

void
msp430_step_once(struct msp430 *mcu)
{
  cpu_step(mcu, -1);
}

int64_t
msp430_cycles(const struct msp430 *mcu)
{
  return mcu->cycles;
}

int64_t
msp430_active_cycles(const struct msp430 *mcu)
{
  return mcu->cycles - mcu->slept;
}

/* SLAU049, 2.3: a clock more is off in each. */
int
msp430_sleeps(const struct msp430 *mcu)
{
  uint32_t status = mcu->registers[MSP430_SR];

  return !mcu->cpu_off ? -1 : status & SR_OSCOFF ? 4 : (status & SR_SCG1 ? 2 : 0) + (status & SR_SCG0 ? 1 : 0);
}

double
msp430_slept_us(const struct msp430 *mcu, int mode)
{
  return mcu->slept_us[mode];
}

uint32_t
msp430_register(const struct msp430 *mcu, unsigned number)
{
  return mcu->registers[number];
}

int64_t
msp430_busy_us(const struct msp430 *mcu)
{
  return is_interrupted(mcu) ? 0 : (mcu->cycles - mcu->rested) * 1000000 / mcu->dco_hz; /* it may have stopped before it takes one */
}

uint32_t
msp430_last_pc(const struct msp430 *mcu)
{
  return mcu->at;
}

const struct msp430_image *
msp430_image(const struct msp430 *mcu)
{
  return mcu->image;
}
