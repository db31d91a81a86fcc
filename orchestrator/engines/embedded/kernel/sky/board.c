/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/board.h"

#include "sky/cc2420_spi.h"

enum { SPI = 0 };
enum { /* pins of port 1 */ FIFOP_PIN = 0, FIFO_PIN = 3, CCA_PIN = 4, CLIMATE_DATA_PIN = 5, CLIMATE_DATA = 0x20, CLIMATE_CLOCK = 0x40 };
enum { /* of port 2 */ SERIAL_NUMBER_PIN = 4, SERIAL_NUMBER = 0x10, BUTTON_PIN = 7 };
enum { /* of port 4 */ SFD_PIN = 1, RADIO_SELECT = 0x04, FLASH_SELECT = 0x10, RADIO_POWER = 0x20 };
enum { /* of port 5, low if lit */ RED_LED = 0x10, GREEN_LED = 0x20, BLUE_LED = 0x40 };
enum { /* bits of the CC2420's IOCFG0 */ FIFO_INVERTED = 0x400, FIFOP_INVERTED = 0x200, SFD_INVERTED = 0x100, CCA_INVERTED = 0x80 };

void
board_spi(struct board *board, uint8_t byte)
{
  cc2420_command(&board->radio, byte);
  m25p80_command(&board->flash, byte);
  if(!board->radio.selected && !board->flash.selected) {
    msp430_usart_receive(board->mcu, SPI, 0);
  }
}

void
board_port_written(struct board *board, unsigned port, unsigned levels)
{
  switch(port) {
  case 1:
    sht11_clock(&board->climate, (levels & CLIMATE_CLOCK) != 0);
    sht11_data(&board->climate, (levels & CLIMATE_DATA) != 0);
    break;
  case 2:
    ds2411_wire(&board->serial_number, (levels & SERIAL_NUMBER) != 0);
    break;
  case 4:
    cc2420_select(&board->radio, (levels & RADIO_SELECT) == 0);
    cc2420_power(&board->radio, (levels & RADIO_POWER) != 0);
    m25p80_select(&board->flash, (levels & FLASH_SELECT) == 0);
    break;
  case 5:
    board->leds = ((levels & RED_LED) == 0 ? BOARD_RED : 0) | ((levels & GREEN_LED) == 0 ? BOARD_GREEN : 0) |
                  ((levels & BLUE_LED) == 0 ? BOARD_BLUE : 0);
    break;
  }
}

void
board_reset(struct board *board)
{
  board->flash.writing = false;
  cc2420_select(&board->radio, false);
  cc2420_reset(&board->radio);
}

void
board_press(struct board *board, bool down)
{
  if(board->button != down) {
    board->button = down;
    msp430_set_pin(board->mcu, 2, BUTTON_PIN, down);
  }
}

void
board_init(struct board *board, struct msp430 *mcu, const struct cc2420_listener *listener, void *context)
{
  *board = (struct board){.mcu = mcu};
  board->radio = (struct cc2420){.mcu = mcu, .listener = listener, .context = context,
                                 .cca_pin = {1, CCA_PIN, CCA_INVERTED}, .fifop_pin = {1, FIFOP_PIN, FIFOP_INVERTED},
                                 .fifo_pin = {1, FIFO_PIN, FIFO_INVERTED}, .sfd_pin = {4, SFD_PIN, SFD_INVERTED}};
  board->flash.mcu = mcu;
  board->serial_number = (struct ds2411){.mcu = mcu, .port = 2, .pin = SERIAL_NUMBER_PIN};
  board->climate = (struct sht11){.mcu = mcu, .port = 1, .pin = CLIMATE_DATA_PIN};
  cc2420_init(&board->radio);
  m25p80_init(&board->flash);
  ds2411_init(&board->serial_number);
  sht11_init(&board->climate);
}
