/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mote prints its identity and firmware on its serial line, when it is asked by the
 * line `who`, so that a testbed need not believe what its inventory says. It takes its image
 * there as well (image-by-serial.h).
 */
#ifndef IDENTITY_H_
#define IDENTITY_H_

#include "contiki.h"

extern struct process identity_process; /* answers; an application starts it */

/* Prints: who FIRMWARE address HEXADECIMAL eui64 HEXADECIMAL|unknown platform NAME */
void identity_say(void);

#endif
