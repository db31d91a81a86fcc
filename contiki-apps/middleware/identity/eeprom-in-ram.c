/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of dev/eeprom.h where a platform has no EEPROM and the project sets
 * EEPROM_CONF_SIZE: what the image needs, in RAM. It is lost with the power; the image comes by
 * the serial line again then (image-by-serial.h).
 */
#include <string.h>
#include "contiki.h"
#include "dev/eeprom.h"

#if EEPROM_SIZE > 0 && !CONTIKI_TARGET_COOJA && !CONTIKI_TARGET_NATIVE && !PLATFORM_HAS_EEPROM
static unsigned char memory[EEPROM_SIZE];
/*---------------------------------------------------------------------------*/
bool
eeprom_init(void)
{
  return true;
}
/*---------------------------------------------------------------------------*/
bool
eeprom_read(eeprom_addr_t at, unsigned char *octets, size_t count)
{
  if(at >= EEPROM_SIZE || count > (size_t)EEPROM_SIZE - at) {
    return false;
  }
  memcpy(octets, memory + at, count);
  return true;
}
/*---------------------------------------------------------------------------*/
bool
eeprom_write(eeprom_addr_t at, const unsigned char *octets, size_t count)
{
  if(at >= EEPROM_SIZE || count > (size_t)EEPROM_SIZE - at) {
    return false;
  }
  memcpy(memory + at, octets, count);
  return true;
}
#endif
