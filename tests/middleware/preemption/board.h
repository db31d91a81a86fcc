/* SPDX-License-Identifier: Apache-2.0 */
/* A microcontroller in an emulator: a tick a millisecond, and a serial line. */
#ifndef BOARD_H_
#define BOARD_H_

void board_start(void);      /* from now on board_tick() each ms, from an interrupt */
void board_put(char byte);
void board_wait(void);       /* for an interrupt */
void board_end(void);        /* the emulator ends */

void board_tick(void);       /* the story's */

#endif
