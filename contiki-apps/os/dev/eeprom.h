/* SPDX-License-Identifier: Apache-2.0 */
/* The EEPROM. Its image holds what differs between motes with the same
   firmware. */
#ifndef EEPROM_H_
#define EEPROM_H_

#include "contiki-conf.h"

typedef unsigned short eeprom_addr_t;

#define EEPROM_SIZE EEPROM_CONF_SIZE
#define EEPROM_END_ADDR (EEPROM_SIZE - 1)

bool eeprom_init(void);

/* False if the address is past the end. Bytes that would go past the end are
   left out. */
bool eeprom_read(eeprom_addr_t addr, unsigned char *buf, size_t size);
bool eeprom_write(eeprom_addr_t addr, const unsigned char *buf, size_t size);

#endif
