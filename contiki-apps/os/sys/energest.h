/* SPDX-License-Identifier: Apache-2.0 */
/* The time that each part of the mote has been in use. Times are in us; energest_flush() adds the time
   since a part was last switched on. The CPU sleeps (LPM) between ticks in which there is nothing to
   do, and is busy while a process waits for the radio. */
#ifndef ENERGEST_H_
#define ENERGEST_H_

#include "contiki-conf.h"
#include "sys/rtimer.h"

#define ENERGEST_CURRENT_TIME RTIMER_NOW
#define ENERGEST_SECOND RTIMER_SECOND
#define ENERGEST_TIME_T rtimer_clock_t

typedef enum energest_type {
  ENERGEST_TYPE_CPU,
  ENERGEST_TYPE_LPM,
  ENERGEST_TYPE_DEEP_LPM,
  ENERGEST_TYPE_TRANSMIT,
  ENERGEST_TYPE_LISTEN,
#ifdef ENERGEST_CONF_ADDITIONS
  ENERGEST_CONF_ADDITIONS,
#endif
  ENERGEST_TYPE_MAX
} energest_type_t;

#if ENERGEST_CONF_ON

void energest_init(void);
void energest_flush(void);
uint64_t energest_type_time(energest_type_t type);
void energest_type_set(energest_type_t type, uint64_t time);
void energest_on(energest_type_t type);
void energest_off(energest_type_t type);
void energest_switch(energest_type_t off, energest_type_t on);
uint64_t energest_get_total_time(void);

#define ENERGEST_ON(type) energest_on(type)
#define ENERGEST_OFF(type) energest_off(type)
#define ENERGEST_SWITCH(off, on) energest_switch(off, on)
#define ENERGEST_GET_TOTAL_TIME energest_get_total_time

#else

static inline void energest_init(void) { }
static inline void energest_flush(void) { }
static inline uint64_t energest_type_time(energest_type_t type) { (void)type; return 0; }
static inline void energest_type_set(energest_type_t type, uint64_t time) { (void)type; (void)time; }

#define ENERGEST_ON(type) do { } while(0)
#define ENERGEST_OFF(type) do { } while(0)
#define ENERGEST_SWITCH(off, on) do { } while(0)
#define ENERGEST_GET_TOTAL_TIME() UINT64_C(0)

#endif
#endif
