/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends the measured time and prints its counters. In the paper nodes
 * keep their statistics and send them over the serial line after the test
 * (5.2.3).
 */
#ifndef DUMP_H_
#define DUMP_H_

#include "contiki.h"

/* The measured time begins: counters and times in states start from here. */
void dump_begin_measuring(void);

/* The measured time ends: remember them as they are now. */
void dump_end_measuring(void);

/* Print everything in this mote's slot. */
void dump_start(void);

/* The time after dump_start() in which all motes have printed. */
#define DUMP_SLOT (CLOCK_SECOND / 20)
#define DUMP_SLOTS 32
#define DUMP_ALL (DUMP_SLOT * (DUMP_SLOTS + 1))

#endif
