/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/fcs.h"

#include <stdbool.h>

static const uint16_t REVERSED_POLYNOMIAL = 0x8408;

/* table[0]: the remainder of a byte; table[n]: the remainder of a byte followed by n bytes of zeros. With four bytes at a
   time there is one dependent step instead of four. */
enum { AT_A_TIME = 4 };
static uint16_t table[AT_A_TIME][256]; /* the same for every simulation; made at the first frame */

static void
make_table(void)
{
  for(unsigned byte = 0; byte < 256; byte++) {
    uint16_t entry = (uint16_t)byte;
    for(int bit = 0; bit < 8; bit++) {
      entry = (entry & 1) ? (uint16_t)(entry >> 1 ^ REVERSED_POLYNOMIAL) : (uint16_t)(entry >> 1);
    }
    table[0][byte] = entry;
  }
  for(unsigned n = 1; n < AT_A_TIME; n++) {
    for(unsigned byte = 0; byte < 256; byte++) {
      table[n][byte] = (uint16_t)(table[n - 1][byte] >> 8 ^ table[0][table[n - 1][byte] & 0xff]);
    }
  }
}

static inline void
need_table(void)
{
  static bool ready;

  if(!ready) {
    make_table();
    ready = true;
  }
}

uint16_t
fcs_add(uint16_t remainder, uint8_t byte)
{
  need_table();
  return (uint16_t)(remainder >> 8 ^ table[0][(remainder ^ byte) & 0xff]);
}

void
fcs_append(uint8_t *bytes, size_t size)
{
  uint16_t remainder = 0;
  size_t i = 0;

  need_table();
  for(; i + AT_A_TIME <= size; i += AT_A_TIME) {
    remainder = (uint16_t)(table[3][(remainder ^ bytes[i]) & 0xff] ^ table[2][(remainder >> 8 ^ bytes[i + 1]) & 0xff] ^
                           table[1][bytes[i + 2]] ^ table[0][bytes[i + 3]]);
  }
  for(; i < size; i++) {
    remainder = (uint16_t)(remainder >> 8 ^ table[0][(remainder ^ bytes[i]) & 0xff]);
  }
  bytes[size] = (uint8_t)remainder;
  bytes[size + 1] = (uint8_t)(remainder >> 8);
}
