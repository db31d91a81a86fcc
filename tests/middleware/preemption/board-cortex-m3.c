/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU's lm3s6965evb: a Cortex-M3 of 12.5 MHz, its SysTick and first UART. */
#include <stdint.h>
#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYSTICK_CONTROL REGISTER(0xe000e010)
#define SYSTICK_RELOAD REGISTER(0xe000e014)
#define PRIORITIES REGISTER(0xe000ed20)
#define SYSTICK_MIDDLE (0x40UL << 24)
#define UART_DATA REGISTER(0x4000c000)

extern uint32_t data_start[], data_end[], data_image[];
int main(void);
void PendSV_Handler(void);

void
board_start(void)
{
  PRIORITIES |= SYSTICK_MIDDLE; /* there are less urgent ones, of which PendSV has to be one */
  SYSTICK_RELOAD = 12500 - 1;
  SYSTICK_CONTROL = 7; /* on, interrupts, the processor's clock */
}

void
board_put(char byte)
{
  UART_DATA = (uint8_t)byte;
}

void
board_wait(void)
{
  __asm volatile("wfi");
}

uint8_t
board_page(void)
{
  return 0;
}

void
board_turn_page(void)
{
}

/* Semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit. */
void
board_end(void)
{
  register uint32_t operation __asm("r0") = 0x18;
  register uint32_t reason __asm("r1") = 0x20026;

  __asm volatile("bkpt 0xab" : : "r"(operation), "r"(reason));
}

static void
reset(void)
{
  uint32_t *from = data_image;

  for(uint32_t *to = data_start; to < data_end; to++) {
    *to = *from++;
  }
  main();
  board_end();
}

static void
fault(void)
{
  board_put('!');
  board_end();
}

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16] = {
  0x20010000, (uintptr_t)reset, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault,
  0, 0, 0, 0, (uintptr_t)fault, 0, 0, (uintptr_t)PendSV_Handler, (uintptr_t)board_tick
};
