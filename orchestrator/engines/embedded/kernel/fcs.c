/* SPDX-License-Identifier: Apache-2.0 */
#include "fcs.h"

#include <stdbool.h>

static const uint16_t REVERSED_POLYNOMIAL = 0x8408;

void
fcs_append(uint8_t *bytes, size_t size)
{
  static uint16_t table[256];
  static bool ready;
  uint16_t remainder = 0;

  if(!ready) {
    for(unsigned byte = 0; byte < 256; byte++) {
      uint16_t entry = (uint16_t)byte;
      for(int bit = 0; bit < 8; bit++) {
        entry = (entry & 1) ? (uint16_t)(entry >> 1 ^ REVERSED_POLYNOMIAL) : (uint16_t)(entry >> 1);
      }
      table[byte] = entry;
    }
    ready = true;
  }
  for(size_t i = 0; i < size; i++) {
    remainder = (uint16_t)(remainder >> 8 ^ table[(remainder ^ bytes[i]) & 0xff]);
  }
  bytes[size] = (uint8_t)remainder;
  bytes[size + 1] = (uint8_t)(remainder >> 8);
}
