/* SPDX-License-Identifier: Apache-2.0 */
/* The EEPROM: what differs between motes of one firmware is in its image. */
#ifndef EEPROM_H_
#define EEPROM_H_

#include "contiki-conf.h"

typedef unsigned short eeprom_addr_t;

#define EEPROM_SIZE EEPROM_CONF_SIZE
#define EEPROM_END_ADDR (EEPROM_SIZE - 1)

bool eeprom_init(void);

/* False if the address is behind its end; what would reach over it is cut. */
bool eeprom_read(eeprom_addr_t addr, unsigned char *buf, size_t size);
bool eeprom_write(eeprom_addr_t addr, const unsigned char *buf, size_t size);

#endif
