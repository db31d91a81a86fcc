/* SPDX-License-Identifier: Apache-2.0 */
/* The clock counts ticks since this mote's boot: ms, unless the firmware is built with another CLOCK. It stands still
   while the simulator's tick lasts. */
#ifndef CLOCK_H_
#define CLOCK_H_

#include "contiki-conf.h"

#define CLOCK_SIZE CLOCK_CONF_SIZE
#define CLOCK_SECOND CLOCK_CONF_SECOND

#ifdef CLOCK_CONF_TIME_T
typedef CLOCK_CONF_TIME_T clock_time_t;
#else
typedef uint64_t clock_time_t;
#endif
/* `a` is before `b`, also where the clock has begun again at 0 between them. */
#define CLOCK_LT(a, b) ((clock_time_t)((a) - (b)) > (clock_time_t)-1 / 2)

void clock_init(void);
clock_time_t clock_time(void);
unsigned long clock_seconds(void);

/* Block for that many ticks, or for at least that many us. */
void clock_wait(clock_time_t ticks);
void clock_delay_usec(uint16_t us);

#endif
