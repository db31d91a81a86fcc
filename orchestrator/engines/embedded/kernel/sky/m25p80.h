/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The M25P80, the Tmote Sky's serial flash of 1 MB (STMicroelectronics), as MSPSim models it: a page is written in 1 ms and a
 * sector erased in 0.8 s, and neither keeps it from being read. Its content is not that of a file.
 */
#ifndef M25P80_H
#define M25P80_H

#include "msp430/msp430.h"

enum { M25P80_SIZE = 1024 * 1024, M25P80_PAGE = 256 };

struct m25p80 {
  struct msp430 *mcu;
  uint8_t *content; /* inverted, so that memory which nobody touched is erased flash */
  bool selected, write_enabled, writing;
  uint8_t status, command; /* command 0: it waits for one */
  unsigned position;       /* bytes behind the command */
  uint32_t address;
  uint8_t page[M25P80_PAGE]; /* to be programmed */
  uint32_t page_address;
  struct msp430_event written;
};

/* Requires its microcontroller; the rest is 0. */
void m25p80_init(struct m25p80 *flash);

void m25p80_select(struct m25p80 *flash, bool selected);
void m25p80_command(struct m25p80 *flash, uint8_t byte);

/* Writes what Cooja writes for a mote with an id. */
void m25p80_write_id(struct m25p80 *flash, int id);

#endif
