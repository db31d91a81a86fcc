/* SPDX-License-Identifier: Apache-2.0 */
/* What a mote measures between the warm-up and the end, and prints after it. */
#ifndef MEASURING_H_
#define MEASURING_H_

#include <stdbool.h>
#include <stdint.h>
#include "eeprom-fields.h"

/* Without a trace only publications and deliveries to consumers are printed. */
void measuring_begin(bool trace);

void measuring_end(void);

/* Prints what was counted up to the end. `damaged`: events that were put together and are others
   than were pushed. */
void measuring_dump(const struct eeprom_fields *fields, uint32_t damaged);

#endif
