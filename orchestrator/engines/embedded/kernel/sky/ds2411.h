/* SPDX-License-Identifier: Apache-2.0 */
/* The DS2411 (Maxim), a serial number on one wire, as MSPSim models it. It can be read after a reset, once. */
#ifndef DS2411_H
#define DS2411_H

#include "msp430/msp430.h"

/* Bytes; the answer has the family before, and a CRC behind the number. MSPSim's buffer is longer. */
enum { DS2411_NUMBER = 6, DS2411_ANSWER = 8, DS2411_BUFFER = 10 };

struct ds2411 {
  struct msp430 *mcu;
  uint8_t port, pin;
  enum {
    DS2411_IDLE, DS2411_WAITS_FOR_RESET, DS2411_IN_RESET, DS2411_SHOWS_PRESENCE, DS2411_READS, DS2411_WAITS_TO_SEND, DS2411_SENDS
  } state;
  bool high; /* the wire, as the microcontroller drives it */
  uint8_t number[DS2411_NUMBER], answer[DS2411_BUFFER];
  unsigned answer_length, bit, sent; /* bytes */
  uint8_t command;
  struct msp430_event event;
};

/* Requires its microcontroller and pin; the rest is 0. */
void ds2411_init(struct ds2411 *chip);

/* The number of a mote in Cooja. */
void ds2411_set_id(struct ds2411 *chip, int id);

void ds2411_wire(struct ds2411 *chip, bool high);

#endif
