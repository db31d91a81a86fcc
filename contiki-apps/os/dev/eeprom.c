/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/eeprom.h"

#include <string.h>

#include "platform/mote.h"
#include "sys/cc.h"

static_assert(EEPROM_SIZE <= MOTE_EEPROM_SIZE, "Cooja's EEPROM is smaller");

bool
eeprom_init(void)
{
  return true;
}

bool
eeprom_read(eeprom_addr_t addr, unsigned char *buf, size_t size)
{
  if(addr >= EEPROM_SIZE) {
    return false;
  }
  size = MIN(size, (size_t)(EEPROM_SIZE - addr));
  memcpy(buf, simEEPROMData + addr, size);
  simEEPROMRead += (int)size;
  simEEPROMChanged = 1;
  return true;
}

bool
eeprom_write(eeprom_addr_t addr, const unsigned char *buf, size_t size)
{
  if(addr >= EEPROM_SIZE) {
    return false;
  }
  size = MIN(size, (size_t)(EEPROM_SIZE - addr));
  memcpy(simEEPROMData + addr, buf, size);
  simEEPROMWritten += (int)size;
  simEEPROMChanged = 1;
  return true;
}
