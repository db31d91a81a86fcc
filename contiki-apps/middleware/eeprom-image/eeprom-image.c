/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "dev/eeprom.h"
#include "eeprom-image.h"

static eeprom_addr_t at;
static bool cut_short;
/*---------------------------------------------------------------------------*/
bool
eeprom_image_begin(uint16_t magic)
{
  at = 0;
  cut_short = false;
  return eeprom_image_number(2) == magic;
}
/*---------------------------------------------------------------------------*/
uint32_t
eeprom_image_number(uint8_t octets)
{
  unsigned char bytes[4] = { 0 };

  /* A read past the end would quietly return less. */
  if(at + octets > EEPROM_SIZE || !eeprom_read(at, bytes, octets)) {
    cut_short = true;
    return 0;
  }
  at += octets;
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
    | (uint32_t)bytes[3] << 24;
}
/*---------------------------------------------------------------------------*/
bool
eeprom_image_is_cut_short(void)
{
  return cut_short;
}
