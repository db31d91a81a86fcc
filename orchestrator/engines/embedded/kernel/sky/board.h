/* SPDX-License-Identifier: Apache-2.0 */
/* The Tmote Sky (Moteiv): its microcontroller, and the chips around it, as MSPSim connects them. */
#ifndef BOARD_H
#define BOARD_H

#include "sky/cc2420.h"
#include "sky/ds2411.h"
#include "sky/m25p80.h"
#include "sky/sht11.h"

enum board_led { BOARD_RED = 1, BOARD_GREEN = 2, BOARD_BLUE = 4 };

struct board {
  struct msp430 *mcu;
  struct cc2420 radio;
  struct m25p80 flash;
  struct ds2411 serial_number;
  struct sht11 climate;
  unsigned leds; /* those that are on */
  bool button;   /* it is pressed */
};

/* Connects the chips with `mcu`, which exists; `listener` and its context are the radio's. */
void board_init(struct board *board, struct msp430 *mcu, const struct cc2420_listener *listener, void *context);

/* The functions of struct msp430_board that are the board's. A byte on USART 1 is not. */
void board_spi(struct board *board, uint8_t byte);
void board_port_written(struct board *board, unsigned port, unsigned levels);
void board_reset(struct board *board);

void board_press(struct board *board, bool down);

#endif
