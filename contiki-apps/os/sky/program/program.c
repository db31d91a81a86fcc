/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Tmote Sky that prints the cycles of what is measured: Timer B counts those of the
 * processor, up to 65,535. Nothing else runs, and no interrupt comes.
 */
#include <stdio.h>
#include "contiki.h"
#include "sky/msp430.h"
#include "sky/program/measure.h"
#include "sky/uart.h"

/* The start code and the serial line ask for these; nothing of them happens here. */
void
port1_interrupt(void)
{
}

void
rtimer_interrupt(void)
{
}

void
timer_interrupt(void)
{
}

int
serial_line_input_byte(unsigned char byte)
{
  return byte;
}
/*---------------------------------------------------------------------------*/
void
began(void)
{
  TBCTL = SSEL1_SMCLK | MC_CONTINUOUS | TCLR; /* no overflow is flagged any more */
}
/*---------------------------------------------------------------------------*/
void
ended(void)
{
  uint16_t cycles = TBR;

  if(TBCTL & TIFG) {
    printf("more than 65535 cycles\n");
  } else {
    printf("cycles %u\n", cycles);
  }
}
/*---------------------------------------------------------------------------*/
int
main(void)
{
  uart_init();
  measure();
  printf("end\n");
  while(1) {
  }
}
