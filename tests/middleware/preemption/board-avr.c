/* SPDX-License-Identifier: Apache-2.0 */
/* simavr's ATmega1284P of 8 MHz: timer 0 and the first USART. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdlib.h>
#include "board.h"

ISR(TIMER0_COMPA_vect)
{
  board_tick();
}

void
board_start(void)
{
  UCSR0B = 1 << TXEN0;
  TCCR0A = 1 << WGM01;
  OCR0A = 125 - 1;
  TCCR0B = 3; /* a tick every 64 cycles */
  TIMSK0 = 1 << OCIE0A;
  sei();
}

void
board_put(char byte)
{
  while(!(UCSR0A & (1 << UDRE0))) {
  }
  UDR0 = byte;
}

void
board_wait(void)
{
}

uint8_t
board_page(void)
{
  return RAMPZ;
}

void
board_turn_page(void)
{
  RAMPZ ^= 1;
}

/* simavr ends when the processor sleeps and nothing can wake it. */
void
board_end(void)
{
  cli();
  sleep_enable();
  sleep_cpu();
}

/* How a port stops the mote; the C library's stays in an endless loop. */
void
abort(void)
{
  board_put('!');
  board_put('\n'); /* simavr shows whole lines */
  board_end();
  while(1) {
  }
}
