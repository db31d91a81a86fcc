/* SPDX-License-Identifier: Apache-2.0 */
/* The SHT11 (Sensirion), a sensor of temperature and humidity on two wires, as MSPSim models it: both are constants. */
#ifndef SHT11_H
#define SHT11_H

#include "msp430/msp430.h"

enum { SHT11_ANSWER = 3 }; /* bytes: value, CRC */

struct sht11 {
  struct msp430 *mcu;
  uint8_t port, pin; /* of the data wire */
  enum { SHT11_IDLE, SHT11_COMMAND, SHT11_ACCEPTS, SHT11_MEASURES, SHT11_SENDS, SHT11_WAITS } state;
  bool clock_high, data_high; /* as the microcontroller drives them */
  unsigned start, bits, sent; /* steps of the start sequence; bits of a byte; bytes */
  unsigned command; /* bits shifted in since the last reset */
  uint8_t sending, answer[SHT11_ANSWER];
  struct msp430_event measured;
};

/* Requires its microcontroller and pin; the rest is 0. */
void sht11_init(struct sht11 *sensor);

void sht11_clock(struct sht11 *sensor, bool high);
void sht11_data(struct sht11 *sensor, bool high);

#endif
