/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/cc2420-spi.h"

#include "contiki.h"
#include "sky/msp430.h"

#define FIFOP 0x01 /* port 1 */
#define FIFO 0x08
#define CCA 0x10
#define SFD 0x02 /* port 4 */
#define CS 0x04
#define FLASH_CS 0x10
#define VREG_EN 0x20
#define RESET 0x40
#define SPI 0x0e /* port 3: out, in, clock */
#define READ 0x40
#define RAM 0x80
#define RAM_READ 0x20

void
cc2420_spi_init(void)
{
  P3SEL |= SPI;
  P3DIR |= 0x0a;
  P4OUT = (uint8_t)((P4OUT | CS | FLASH_CS | RESET) & ~VREG_EN);
  P4DIR |= CS | FLASH_CS | VREG_EN | RESET;
  U0CTL = SWRST | CHAR8 | SYNC | MM;
  U0TCTL = CKPH | SSEL_SMCLK | STC;
  U0BR0 = 2;
  U0BR1 = 0;
  U0MCTL = 0;
  ME1 |= USPIE0;
  U0CTL &= (uint8_t)~SWRST;
  P1IES &= (uint8_t)~FIFOP;
  P1IFG &= (uint8_t)~FIFOP;
  P1IE |= FIFOP;
}

void
cc2420_power_up(void)
{
  P4OUT |= VREG_EN;
  clock_delay_usec(600); /* the voltage regulator needs up to 0.6 ms */
  P4OUT &= (uint8_t)~RESET;
  clock_delay_usec(10);
  P4OUT |= RESET;
}

static uint8_t
exchange(uint8_t byte)
{
  IFG1 &= (uint8_t)~URXIFG0;
  U0TXBUF = byte;
  while(!(IFG1 & URXIFG0)) {
  }
  return U0RXBUF;
}

/* The radio's interrupt doesn't use the interface, so that no access has to be protected from it. */
static void
select(void)
{
  P4OUT &= (uint8_t)~CS;
}

static void
deselect(void)
{
  P4OUT |= CS;
}

uint8_t
cc2420_strobe(enum cc2420_strobe strobe)
{
  select();
  uint8_t status = exchange(strobe);
  deselect();
  return status;
}

uint16_t
cc2420_get(enum cc2420_register reg)
{
  select();
  exchange(reg | READ);
  uint8_t high = exchange(0), low = exchange(0);
  deselect();
  return (uint16_t)(high << 8 | low);
}

void
cc2420_set(enum cc2420_register reg, uint16_t value)
{
  select();
  exchange(reg);
  exchange(value >> 8);
  exchange(value & 0xff);
  deselect();
}

void
cc2420_write_ram(uint16_t address, const uint8_t *bytes, size_t size)
{
  select();
  exchange(RAM | (address & 0x7f));
  exchange((address >> 1) & 0xc0);
  for(size_t i = 0; i < size; i++) {
    exchange(bytes[i]);
  }
  deselect();
}

void
cc2420_write_frame(uint8_t length, const uint8_t *bytes, size_t size)
{
  select();
  exchange(TXFIFO);
  exchange(length);
  for(size_t i = 0; i < size; i++) {
    exchange(bytes[i]);
  }
  deselect();
}

void
cc2420_read_fifo(uint8_t *bytes, size_t size)
{
  select();
  exchange(RXFIFO | READ);
  for(size_t i = 0; i < size; i++) {
    uint8_t byte = exchange(0);

    if(bytes != NULL) {
      bytes[i] = byte;
    }
  }
  deselect();
}

bool
cc2420_fifo(void)
{
  return P1IN & FIFO;
}

bool
cc2420_fifop(void)
{
  return P1IN & FIFOP;
}

bool
cc2420_sfd(void)
{
  return P4IN & SFD;
}

bool
cc2420_cca(void)
{
  return P1IN & CCA;
}
