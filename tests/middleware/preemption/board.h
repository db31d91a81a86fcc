/* SPDX-License-Identifier: Apache-2.0 */
/* A microcontroller in an emulator: a tick a millisecond, and a serial line. */
#ifndef BOARD_H_
#define BOARD_H_

#include <stdint.h>

void board_start(void);      /* from now on board_tick() each ms, from an interrupt */
void board_put(char byte);
void board_wait(void);       /* for an interrupt */
void board_end(void);        /* the emulator ends */

/* A register that each thread has for itself and compiled code doesn't use: on AVR RAMPZ,
   the page of a large program's memory. A Cortex-M3 has none, and says 0. */
uint8_t board_page(void);
void board_turn_page(void);

void board_tick(void);       /* the story's */

#endif
