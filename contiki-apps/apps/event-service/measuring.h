/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of a mote between the warm-up and the end, printed after it. */
#ifndef MEASURING_H_
#define MEASURING_H_

#include <stdbool.h>
#include <stdint.h>
#include "eeprom-fields.h"

/* Without a trace only publications and deliveries to consumers are printed. */
void measuring_begin(bool trace);

void measuring_end(void);

/* Prints the counters at the end. `damaged`: events that were put together and are others
   than were pushed. */
void measuring_dump(const struct eeprom_fields *fields, uint32_t damaged);

#endif
