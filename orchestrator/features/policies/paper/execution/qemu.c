/* SPDX-License-Identifier: Apache-2.0 */
/* Start and end on QEMU's lm3s6965evb, whose instructions are counted at `began` and `ended`. */
#include <stddef.h>
#include <string.h>
#include "mote.h"

extern uint32_t data_start[], data_end[], data_image[];
/*---------------------------------------------------------------------------*/
__attribute__((noinline)) void
began(void)
{
  __asm volatile("");
}
/*---------------------------------------------------------------------------*/
__attribute__((noinline)) void
ended(void)
{
  __asm volatile("");
}
/*---------------------------------------------------------------------------*/
/* Semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit. */
static void
end(void)
{
  register uint32_t operation __asm("r0") = 0x18;
  register uint32_t reason __asm("r1") = 0x20026;

  __asm volatile("bkpt 0xab" : : "r"(operation), "r"(reason));
}
/*---------------------------------------------------------------------------*/
static void
reset(void)
{
  memcpy(data_start, data_image, (size_t)((char *)data_end - (char *)data_start));
  measure();
  end();
}
/*---------------------------------------------------------------------------*/
static void
fault(void)
{
  *(volatile uint32_t *)0x4000c000 = '!'; /* the first UART */
  end();
}

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16] = {
  0x20010000, (uintptr_t)reset, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault,
  (uintptr_t)fault, 0, 0, 0, 0, (uintptr_t)fault, 0, 0, (uintptr_t)fault, (uintptr_t)fault
};
