/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/uart.h"

#include <stdio.h>

#include "dev/serial-line.h"
#include "sky/clock.h"
#include "sky/msp430.h"

#define BAUD 115200L

void
uart_init(void)
{
  P3SEL |= 0xc0;
  P3DIR |= 0x40;
  P3DIR &= (uint8_t)~0x80;
  U1CTL = SWRST | CHAR8;
  U1TCTL = SSEL_SMCLK;
  U1RCTL = 0;
  U1BR0 = CPU_HZ / BAUD;
  U1BR1 = 0;
  U1MCTL = 0x20; /* an eighth of a period more: 34.13 */
  ME2 |= UTXE1 | URXE1;
  U1CTL &= (uint8_t)~SWRST;
  IFG2 &= (uint8_t)~URXIFG1;
  IE2 |= URXIFG1;
}

int
putchar(int c)
{
  while(!(IFG2 & UTXIFG1)) {
  }
  U1TXBUF = (uint8_t)c;
  return (unsigned char)c;
}

bool
uart_is_sending(void)
{
  return !(U1TCTL & TXEPT);
}

void
uart_interrupt(void)
{
  serial_line_input_byte(U1RXBUF);
}
