/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes numbers in frames: little-endian as in IEEE 802.15.4, at any
 * address. Reads octets that are written as two hexadecimal digits, in lines.
 * Computes CRC-32.
 */
#ifndef PUBSUB_OCTETS_H_
#define PUBSUB_OCTETS_H_

#include <stdint.h>

/* Write a number; returns where the next one goes. */
static inline uint8_t *
pubsub_put16(uint8_t *at, uint16_t value)
{
  at[0] = value & 0xff;
  at[1] = value >> 8;
  return at + 2;
}

static inline uint8_t *
pubsub_put32(uint8_t *at, uint32_t value)
{
  return pubsub_put16(pubsub_put16(at, value & 0xffff), value >> 16);
}

static inline uint16_t
pubsub_get16(const uint8_t *at)
{
  return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t
pubsub_get32(const uint8_t *at)
{
  return pubsub_get16(at) | (uint32_t)pubsub_get16(at + 2) << 16;
}

static inline int
pubsub_hex_digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The octet that a text begins with; -1: it doesn't begin with two digits. */
static inline int
pubsub_hex_octet(const char *text)
{
  int high = pubsub_hex_digit(text[0]), low = high < 0 ? -1 : pubsub_hex_digit(text[1]);

  return low < 0 ? -1 : high << 4 | low;
}

/* A CRC-32 (IEEE 802.3, reflected) with one more octet. It begins as 0xffffffff and is inverted at the end. */
static inline uint32_t
pubsub_crc32_add(uint32_t crc, uint8_t octet)
{
  unsigned bit;

  crc ^= octet;
  for(bit = 0; bit < 8; bit++) {
    crc = crc & 1 ? crc >> 1 ^ 0xedb88320UL : crc >> 1;
  }
  return crc;
}

#endif
