/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MOTE_H_
#define MOTE_H_

#include <stdint.h>
#include "sky/program/measure.h"

/* Call all timers that were set. */
void run_timers(void);

/* A frame arrives. */
extern void (*hear)(const uint8_t *frame, uint16_t length);

#endif
