/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MOTE_H_
#define MOTE_H_

#include <stdint.h>

/* Where a measurement begins and ends. */
void began(void);
void ended(void);

/* What is measured: it calls `began` before and `ended` after. */
void measure(void);

/* Call all timers that were set. */
void run_timers(void);

/* A frame arrives. */
extern void (*hear)(const uint8_t *frame, uint16_t length);

#endif
