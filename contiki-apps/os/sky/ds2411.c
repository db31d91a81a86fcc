/* SPDX-License-Identifier: Apache-2.0 */
/* The 1-Wire protocol of Maxim's DS2411, at the times of its data sheet. */
#include "sky/ds2411.h"

#include "sky/clock.h"
#include "sky/msp430.h"

#define LINE 0x10 /* P2.4, pulled up; low only where it is an output */
#define READ_ROM 0x33

/* Loops of 3 cycles. */
static void
wait_us(uint16_t us)
{
  uint16_t loops = (uint16_t)((uint32_t)us * (CPU_HZ / 1000) / 3000);

  __asm__ volatile("1:\tdec %0\n\tjnz 1b" : "+r"(loops));
}

static void
pull(uint16_t us)
{
  P2DIR |= LINE;
  wait_us(us);
  P2DIR &= (uint8_t)~LINE;
}

static void
write_byte(uint8_t byte)
{
  for(uint8_t bit = 1; bit != 0; bit <<= 1) {
    pull(byte & bit ? 6 : 60);
    wait_us(byte & bit ? 64 : 10);
  }
}

static uint8_t
read_byte(void)
{
  uint8_t byte = 0;

  for(uint8_t bit = 1; bit != 0; bit <<= 1) {
    pull(6);
    wait_us(9);
    byte |= P2IN & LINE ? bit : 0;
    wait_us(55);
  }
  return byte;
}

static uint8_t
crc8(uint8_t crc, uint8_t byte)
{
  crc ^= byte;
  for(int i = 0; i < 8; i++) {
    crc = crc & 1 ? crc >> 1 ^ 0x8c : crc >> 1;
  }
  return crc;
}

bool
ds2411_read(uint8_t *serial)
{
  uint8_t crc, family;

  P2OUT &= (uint8_t)~LINE;
  pull(500);
  wait_us(70);
  if(P2IN & LINE) {
    return false;
  }
  wait_us(450);
  write_byte(READ_ROM);
  family = read_byte();
  crc = crc8(0, family);
  for(int i = DS2411_SIZE - 1; i >= 0; i--) {
    serial[i] = read_byte();
    crc = crc8(crc, serial[i]);
  }
  return crc == read_byte();
}
