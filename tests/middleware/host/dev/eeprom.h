/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EEPROM_H_
#define EEPROM_H_

#include <stdbool.h>
#include <stddef.h>

typedef unsigned short eeprom_addr_t;
#define EEPROM_SIZE 1024
bool eeprom_read(eeprom_addr_t addr, unsigned char *buf, size_t size);

#endif
