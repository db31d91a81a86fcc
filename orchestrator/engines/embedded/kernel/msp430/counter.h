/* SPDX-License-Identifier: Apache-2.0 */
/* A timer's counter: it isn't counted but worked out, in doubles, from the cycles that have passed since it was set. */
#ifndef MSP430_COUNTER_H
#define MSP430_COUNTER_H

#include "msp430/state.h"

enum { WRAP = 0x10000 };
enum { STOPPED, UP, CONTINUOUS, UP_DOWN }; /* modes */
/* Sources of clocks and captures; those of pins are PIN + 16 * port + pin. */
enum { SOURCE_ACLK = 0, SOURCE_SMCLK = 2, PIN = 0x100, GND = 0x200, VCC, COMPARATOR };

struct timer_kind {
  uint32_t base, vector_register;
  int captures, first_interrupt, other_interrupt;
  int32_t overflow; /* in the vector register */
  uint16_t clocks[4];
  uint16_t inputs[MOST_CAPTURES][4];
};

/* A clock that may drive the timer has changed. */
void counter_clock_changed(struct timer *timer);

/* Works out the cycles in a tick. */
void counter_update_speed(struct timer *timer);

/* Returns the counter's value now. */
int32_t counter_update(struct timer *timer);

/* The event of the counter's wrapping around. */
void counter_overflow(struct msp430_event *event, int64_t time);

#endif
