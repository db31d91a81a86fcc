/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Firmware for a Tmote Sky that uses each of its chips and prints what they do: the reference that real Cooja's logs of it
 * are (README.md in this folder). It needs nothing but the start code and the C library of orchestrator/build/msp430.
 */
#include <msp430.h>
#include <stdint.h>
#include <stdio.h>

volatile unsigned node_id; /* Cooja writes the mote's id here, and keeps it */
const char *cooja_debug_ptr;

static volatile unsigned ticks, buttons, frames;
static char line[40];
static volatile uint8_t line_length, line_ready;

/* ---- serial line ---- */

int
putchar(int character)
{
  while((IFG2 & UTXIFG1) == 0) {
  }
  U1TXBUF = (unsigned char)character;
  return character;
}

static void
uart_init(void)
{
  P3SEL |= 0xc0;
  U1CTL = SWRST | CHAR;
  U1TCTL = SSEL1;
  U1BR0 = 23; /* of SMCLK: about 115,200 bit/s */
  U1BR1 = 0;
  U1MCTL = 0;
  ME2 |= UTXE1 | URXE1;
  U1CTL &= ~SWRST;
  IE2 |= URXIE1;
}

ISR(USART1RX, uart_receives)
{
  char character = (char)U1RXBUF;

  if(character == '\n') {
    line_ready = 1;
    _BIC_SR_IRQ(LPM3_bits);
  } else if(line_length < sizeof(line) - 1) {
    line[line_length++] = character;
  }
}

/* ---- time ---- */

ISR(TIMERA0, timer_expires)
{
  TACCR0 += 4096; /* of ACLK: an eighth of a second */
  ticks++;
  _BIC_SR_IRQ(LPM3_bits);
}

ISR(PORT2, button_changes)
{
  P2IFG = 0;
  P2IES ^= 0x80;
  buttons++;
  _BIC_SR_IRQ(LPM3_bits);
}

ISR(PORT1, frame_comes)
{
  P1IFG = 0;
  frames++;
  _BIC_SR_IRQ(LPM3_bits);
}

static void
wait(unsigned loops)
{
  while(loops-- > 0) {
    __nop();
  }
}

/* ---- SPI ---- */

static uint8_t
spi(uint8_t byte)
{
  IFG1 &= ~URXIFG0;
  U0TXBUF = byte;
  while((IFG1 & URXIFG0) == 0) {
  }
  return U0RXBUF;
}

static void
spi_init(void)
{
  P4OUT |= 0x14; /* neither chip selected */
  P4DIR |= 0x34;
  P3SEL |= 0x0e;
  U0CTL = SWRST | CHAR | SYNC | MM;
  U0TCTL = CKPH | SSEL1 | STC;
  U0BR0 = 2;
  U0BR1 = 0;
  U0MCTL = 0;
  ME1 |= USPIE0;
  U0CTL &= ~SWRST;
}

#include "chips.h"

/* ---- radio ---- */

static void
radio_select(int on)
{
  if(on) {
    P4OUT &= ~0x04;
  } else {
    P4OUT |= 0x04;
  }
}

static uint8_t
strobe(uint8_t command)
{
  uint8_t status;

  radio_select(1);
  status = spi(command);
  radio_select(0);
  return status;
}

static void
write_register(uint8_t address, unsigned value)
{
  radio_select(1);
  spi(address);
  spi((uint8_t)(value >> 8));
  spi((uint8_t)value);
  radio_select(0);
}

static unsigned
read_register(uint8_t address)
{
  unsigned value;

  radio_select(1);
  spi(address | 0x40);
  value = (unsigned)spi(0) << 8;
  value |= spi(0);
  radio_select(0);
  return value;
}

static void
write_memory(unsigned address, const uint8_t *bytes, int count)
{
  radio_select(1);
  spi(0x80 | (address & 0x7f));
  spi((uint8_t)(address >> 1 & 0xc0));
  while(count-- > 0) {
    spi(*bytes++);
  }
  radio_select(0);
}

static void
radio_init(void)
{
  const uint8_t address[] = {0xcd, 0xab, (uint8_t)node_id, (uint8_t)(node_id >> 8)};
  unsigned polls = 0;

  P4OUT |= 0x20;
  wait(2000);
  printf("status %02x", strobe(1));
  while((strobe(0) & 0x40) == 0) {
    polls++;
  }
  printf(" stable after %u\n", polls);
  write_register(0x11, 0x0af2); /* address recognition, acknowledgements */
  write_register(0x1c, 0x007f); /* FIFOP at whole frames only */
  write_register(0x18, 357 + 0x4000 + 5 * (26 - 11));
  write_register(0x13, 0xe000);
  write_memory(0x168, address, sizeof(address));
  printf("registers %04x %04x %04x\n", read_register(0x11), read_register(0x18), read_register(0x1e));
  strobe(8);
  strobe(3);
  P1IFG = 0;
  P1IE |= 0x01;
}

static void
send(unsigned to, unsigned number, int asks_for_ack)
{
  unsigned length = 11 + number % 40 + 2;

  strobe(9);
  radio_select(1);
  spi(0x3e);
  spi((uint8_t)length);
  spi(asks_for_ack ? 0x61 : 0x41);
  spi(0x88);
  spi((uint8_t)number);
  spi(0xcd);
  spi(0xab);
  spi((uint8_t)to);
  spi((uint8_t)(to >> 8));
  spi((uint8_t)node_id);
  spi((uint8_t)(node_id >> 8));
  for(unsigned i = 9; i < length - 2; i++) {
    spi((uint8_t)(number + i));
  }
  radio_select(0);
  strobe(5);
  printf("sends %u to %u, status %02x, clear %d\n", number, to, strobe(0), (P1IN & 0x10) != 0);
}

static void
receive(void)
{
  unsigned length, sum = 0, number = 0, from = 0, rssi = 0, quality = 0;

  while((P1IN & 0x09) != 0) { /* FIFO or FIFOP */
    if((P1IN & 0x08) == 0) {
      printf("overflow\n");
      strobe(8);
      strobe(8);
      break;
    }
    if((P1IN & 0x01) == 0) {
      break; /* a frame is coming */
    }
    radio_select(1);
    spi(0x7f);
    length = spi(0) & 0x7f;
    for(unsigned i = 0; i < length; i++) {
      uint8_t byte = spi(0);
      sum += byte;
      number = i == 2 ? byte : number;
      from = i == 7 ? byte : from;
      rssi = i == length - 2 ? byte : rssi;
      quality = i == length - 1 ? byte : quality;
    }
    radio_select(0);
    printf("has %u from %u, %u bytes, sum %u, rssi %d, quality %02x\n", number, from, length, sum, (int8_t)rssi - 45, quality);
  }
}

/* ---- analog ---- */

static void
analog_print(void)
{
  P6SEL |= 0x10;
  ADC12CTL0 = ADC12ON + SHT0_2;
  ADC12CTL1 = SHP + CSTARTADD_0;
  ADC12MCTL0 = INCH_4;
  ADC12CTL0 |= ENC | ADC12SC;
  for(unsigned i = 0; (ADC12IFG & 1) == 0 && i < 1000; i++) {
  }
  printf("analog %u\n", ADC12MEM0);
  ADC12CTL0 = 0;
}

int
main(void)
{
  unsigned number = 0;

  WDTCTL = WDTPW | WDTHOLD;
  P2DIR = 0;
  P5DIR |= 0x70;
  P5OUT |= 0x70;
  uart_init();
  printf("probe, id %u\n", node_id);
  node_id = 77; /* Cooja does not let it */
  printf("still %u\n", node_id);
  cooja_debug_ptr = "by a pointer";
  number_print();
  spi_init();
  flash_test();
  climate_print(3);
  climate_print(5);
  radio_init();
  P2IES &= ~0x80;
  P2IFG = 0;
  P2IE |= 0x80;
  TACTL = TASSEL0 | TACLR;
  TACCTL0 = CCIE;
  TACCR0 = 4096;
  TACTL |= MC1;
  for(;;) {
    _BIS_SR(GIE | LPM3_bits);
    if(frames != 0) {
      frames = 0;
      receive();
    }
    if(buttons != 0) {
      printf("button %u, it is %d\n", buttons, (P2IN & 0x80) != 0);
      buttons = 0;
    }
    if(line_ready) {
      line[line_length] = 0;
      printf("line \"%s\", \xe4\xb5\xa7\x01\n", line);
      line_ready = line_length = 0;
    }
    while(ticks != 0) {
      ticks--;
      P5OUT ^= 0x10 << number % 3;
      if(number % 4 == node_id % 4) {
        send(number % 3 == 0 ? 0xffff : node_id % 3 + 1, number, number % 2);
      }
      if(number % 16 == 9) {
        wait(300);
        printf("off, status %02x\n", strobe(6)); /* perhaps in the middle of a frame */
        wait(3000);
        strobe(3);
      } else if(number % 16 == 13) {
        write_register(0x15, 0xa0e0 | (number * 7 % 32));
        write_register(0x18, 357 + 0x4000 + 5 * (number % 32 == 13 ? 14 : 15));
      } else if(number % 32 == 20) {
        P4OUT &= ~0x20;
        wait(500);
        radio_init();
      } else if(number == 40) {
        flash_enable();
        flash_at(0xd8, 0x30000);
        flash_end();
        printf("erased after %u polls\n", flash_wait());
        flash_print(0x300fa);
        analog_print();
      }
      number++;
    }
  }
}
