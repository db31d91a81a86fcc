/* SPDX-License-Identifier: Apache-2.0 */
/* The part of probe.c for the flash memory, the serial number and the climate sensor. */
#ifndef CHIPS_H
#define CHIPS_H

/* ---- flash ---- */

static void
flash_begin(uint8_t command)
{
  P4OUT &= ~0x10;
  spi(command);
}

static void
flash_end(void)
{
  P4OUT |= 0x10;
}

static void
flash_at(uint8_t command, uint32_t address)
{
  flash_begin(command);
  spi((uint8_t)(address >> 16));
  spi((uint8_t)(address >> 8));
  spi((uint8_t)address);
}

static unsigned
flash_wait(void)
{
  unsigned polls = 0;
  uint8_t status;

  do {
    flash_begin(5);
    status = spi(0);
    flash_end();
    polls++;
  } while(status & 1);
  return polls;
}

static void
flash_print(uint32_t address)
{
  flash_at(3, address);
  printf("flash %05lx:", (unsigned long)address);
  for(int i = 0; i < 8; i++) {
    printf(" %02x", spi(0));
  }
  flash_end();
  printf("\n");
}

static void
flash_enable(void)
{
  flash_begin(6);
  flash_end();
}

static void
flash_write(uint32_t address, const char *text)
{
  flash_enable();
  flash_at(2, address);
  while(*text != 0) {
    spi((uint8_t)*text++);
  }
  flash_end();
}

static void
flash_test(void)
{
  flash_begin(0x9f);
  for(int i = 0; i < 4; i++) {
    printf("%02x ", spi(0));
  }
  flash_end();
  flash_print(0);
  flash_write(0x300fc, "programmed");
  printf("programmed after %u polls\n", flash_wait());
  flash_print(0x300fa);
  flash_print(0x30000);
  flash_write(0x300fc, "PPP");
  flash_wait();
  flash_print(0x300fa);
}

/* ---- serial number ---- */

static void
number_bit(int one)
{
  P2DIR |= 0x10;
  P2OUT &= ~0x10;
  wait(one ? 4 : 50);
  P2DIR &= ~0x10;
  wait(one ? 50 : 10);
}

static void
number_print(void)
{
  P2DIR |= 0x10;
  P2OUT &= ~0x10;
  wait(500);
  P2DIR &= ~0x10;
  wait(20);
  printf("number %d", (P2IN & 0x10) != 0);
  wait(700);
  for(int i = 0; i < 8; i++) {
    number_bit(0x33 >> i & 1);
  }
  for(int i = 0; i < 8; i++) {
    unsigned byte = 0;
    for(int k = 0; k < 8; k++) {
      P2DIR |= 0x10;
      wait(2);
      P2DIR &= ~0x10;
      wait(4);
      byte |= (P2IN & 0x10) != 0 ? 1u << k : 0;
      wait(40);
    }
    printf(" %02x", byte);
  }
  printf("\n");
}

/* ---- climate ---- */

enum { CLOCK = 0x40, DATA = 0x20 };

static void
climate_data(int high)
{
  if(high) {
    P1DIR &= ~DATA;
  } else {
    P1OUT &= ~DATA;
    P1DIR |= DATA;
  }
}

static void
climate_pulse(void)
{
  P1OUT |= CLOCK;
  wait(2);
  P1OUT &= ~CLOCK;
  wait(2);
}

static unsigned
climate_byte(int acknowledge)
{
  unsigned byte = 0;

  for(int i = 0; i < 8; i++) {
    P1OUT |= CLOCK;
    wait(2);
    byte = byte << 1 | ((P1IN & DATA) != 0);
    P1OUT &= ~CLOCK;
    wait(2);
  }
  climate_data(!acknowledge);
  climate_pulse();
  climate_data(1);
  return byte;
}

static void
climate_print(unsigned command)
{
  unsigned waited = 0, high, low;

  P1DIR |= CLOCK;
  climate_data(1);
  P1OUT &= ~CLOCK;
  P1OUT |= CLOCK;
  climate_data(0);
  P1OUT &= ~CLOCK;
  P1OUT |= CLOCK;
  climate_data(1);
  P1OUT &= ~CLOCK;
  for(int i = 7; i >= 0; i--) {
    climate_data(command >> i & 1);
    climate_pulse();
  }
  climate_data(1);
  climate_pulse();
  while((P1IN & DATA) != 0 && waited < 20000) {
    waited++;
  }
  high = climate_byte(1);
  low = climate_byte(1);
  printf("climate %u: %02x%02x", command, high, low);
  printf(" %02x after %u\n", climate_byte(0), waited);
}

#endif
