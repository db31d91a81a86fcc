/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKY_CLOCK_H_
#define SKY_CLOCK_H_

#include "sys/clock.h"

/* Sets the processor's oscillator to CPU_HZ by the crystal, and starts Timer A. Interrupts are off. */
void clock_start(void);

/* The processor and the submodules' clock. 120 periods of it in each of the crystal's. */
#define CPU_HZ 3932160L

/* Sleeps until an interrupt, or until the next etimer. Called and left with interrupts on; `idle` is called with
   interrupts off, and if it says that there is work to do, nothing sleeps. */
void clock_sleep(bool (*idle)(void));

#endif
