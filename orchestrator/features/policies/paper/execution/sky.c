/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Tmote Sky that prints the cycles of what is measured: Timer B counts those of the
 * processor. Nothing else runs, and no interrupt comes. mote.c has the rest.
 */
#include <stdio.h>
#include "contiki.h"
#include "mote.h"
#include "sky/msp430.h"
#include "sky/uart.h"

static uint16_t begin;

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
  begin = TBR;
}
/*---------------------------------------------------------------------------*/
void
ended(void)
{
  uint16_t cycles = TBR - begin;

  printf("cycles %u\n", cycles);
}
/*---------------------------------------------------------------------------*/
int
main(void)
{
  uart_init();
  TBCTL = SSEL1_SMCLK | MC_CONTINUOUS | TCLR;
  measure();
  printf("end\n");
  while(1) {
  }
}
