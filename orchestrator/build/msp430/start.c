/* SPDX-License-Identifier: Apache-2.0 */
/* What runs before main(): a stack, no watchdog, variables with their values. */
#include <stdint.h>

extern uint8_t data_begin_[], data_end_[], data_values_[], bss_begin_[], bss_end_[];
extern int main(void);

volatile unsigned msp430_bits_to_clear_;

__attribute__((used, noreturn)) static void
begin(void)
{
  const uint8_t *from = data_values_;

  for(uint8_t *to = data_begin_; to != data_end_;) {
    *to++ = *from++;
  }
  for(uint8_t *to = bss_begin_; to != bss_end_;) {
    *to++ = 0;
  }
  main();
  for(;;) {
  }
}

/* The reset's vector leads here, and so do those of interrupts that nobody handles (sky.x). */
__attribute__((naked, used, section(".start"))) void
_start(void)
{
  __asm__("mov #stack_begin_, r1\n\tmov #0x5a80, &0x0120\n\tbr #begin");
}
