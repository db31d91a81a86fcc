/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a mote's configuration from its EEPROM field after field, in the order of the
 * application's application.yaml. (eeprom-fields.h, which a build makes from that
 * file, reads them by name instead.) The first field is a magic number (u16), which
 * differs between applications, so that none reads another's image.
 */
#ifndef EEPROM_IMAGE_H_
#define EEPROM_IMAGE_H_

#include <stdbool.h>
#include <stdint.h>

/* Begins to read at the start; returns whether this is an image with that number. */
bool eeprom_image_begin(uint16_t magic);

/* The next field, of 1, 2 or 4 octets; 0 past the EEPROM's end. */
uint32_t eeprom_image_number(uint8_t octets);

/* Whether a field lay past the end. */
bool eeprom_image_is_cut_short(void);

#endif
