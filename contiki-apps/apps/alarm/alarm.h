/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ALARM_H_
#define ALARM_H_

#include <stdbool.h>
#include <stdint.h>

#define ALARM_MOST_TASKS 3

/* From the EEPROM image; times in us. */
struct alarm_settings {
  uint32_t deadline; /* 0: none */
  uint8_t tasks;
  uint32_t task;
  uint32_t rest;
  uint32_t interval;
  uint32_t conversion;
  uint32_t work;
  int32_t limit; /* hundredths of a degree Celsius */
};

extern struct alarm_settings alarm_settings;

/* A publisher: a thread reads the sensor, another waits for values above the
   limit and sends an alarm. Returns false if the board refused. */
bool watcher_start(void);
void watcher_stop(void);

/* The subscriber: a thread waits for alarms from the network. */
bool siren_start(void);
void siren_stop(void);

#endif
