/* SPDX-License-Identifier: Apache-2.0 */
/* What is written to an emulated mote's serial line. */
#ifndef INPUT_H
#define INPUT_H

#include "motes/simulation.h"
#include "msp430/msp430.h"

struct input {
  struct time_event time_event; /* first member */
  struct mote *mote;
  struct msp430 *mcu;
  void (*catch_up)(struct simulation *simulation, struct mote *mote); /* lets the microcontroller run up to the present time */
  unsigned removals; /* of the mote, when the event was queued */
  uint8_t *bytes;
  uint32_t next, count, size;
};

/* Requires the three pointers; the rest is 0. */
void input_init(struct input *input);

/* Bytes, one after the other as the firmware takes them. */
void input_write(struct simulation *simulation, struct input *input, const uint8_t *bytes, size_t length);

/* A line, UTF-8: the lower half of each of Java's characters, and a line feed, one after the other as the firmware takes them. */
void input_write_line(struct simulation *simulation, struct input *input, const char *text, size_t length);

#endif
