/* SPDX-License-Identifier: Apache-2.0 */
/* The real-time timer. There is one at a time; its time is in us of simulated
   time, and its callback is called like an interrupt, even while a process waits
   for the radio. The callback must not block: it leaves work that takes time to
   a process, by process_poll(). */
#ifndef RTIMER_H_
#define RTIMER_H_

#include "sys/cc.h"
#include "contiki-conf.h"

#if RTIMER_CONF_CLOCK_SIZE == 8
typedef uint64_t rtimer_clock_t;
#define RTIMER_CLOCK_DIFF(a, b) ((int64_t)((a) - (b)))
#else
typedef uint32_t rtimer_clock_t;
#define RTIMER_CLOCK_DIFF(a, b) ((int32_t)((a) - (b)))
#endif

#define RTIMER_CLOCK_SIZE RTIMER_CONF_CLOCK_SIZE
#define RTIMER_CLOCK_MAX ((rtimer_clock_t)-1)
#define RTIMER_CLOCK_LT(a, b) (RTIMER_CLOCK_DIFF(a, b) < 0)

#ifdef RTIMER_CONF_SECOND
#define RTIMER_ARCH_SECOND ((rtimer_clock_t)RTIMER_CONF_SECOND)
#else
#define RTIMER_ARCH_SECOND UINT64_C(1000000)
#endif
#define RTIMER_SECOND RTIMER_ARCH_SECOND
#define RTIMER_GUARD_TIME (RTIMER_ARCH_SECOND >> 14)

#ifdef RTIMER_CONF_SECOND
/* Ticks of a crystal's 32,768 Hz: 512 in 15,625 us. By products of 16 bits, as others, and quotients, take long on the
   processors that have such a crystal. */
static inline rtimer_clock_t
rtimer_ticks_in(uint32_t us) /* never too few; up to a second, at most 3 too many */
{
  uint16_t high = (uint16_t)(us >> 16), low = (uint16_t)us;

  return (uint32_t)high * 2147 + ((uint32_t)high * 496 >> 10) + ((uint32_t)low * 2148 >> 16) + 2;
}
#define US_TO_RTIMERTICKS(us) rtimer_ticks_in(us)
static inline uint64_t
rtimer_us_of(uint32_t ticks)
{
  return (uint64_t)(ticks >> 9) * 15625 + ((uint32_t)(ticks & 511) * 15625 >> 9);
}
#define RTIMERTICKS_TO_US_64(ticks) rtimer_us_of((uint32_t)(ticks))
#define RTIMERTICKS_TO_US(ticks) RTIMERTICKS_TO_US_64(ticks)
#else
#define US_TO_RTIMERTICKS(us) (us)
#define RTIMERTICKS_TO_US(ticks) (ticks)
#define RTIMERTICKS_TO_US_64(ticks) (ticks)
#endif

struct rtimer;
typedef void (*rtimer_callback_t)(struct rtimer *t, void *ptr);

struct rtimer {
  rtimer_clock_t time;
  rtimer_callback_t func;
  void *ptr;
};

enum {
  RTIMER_OK,
  RTIMER_ERR_FULL,
  RTIMER_ERR_TIME,
  RTIMER_ERR_ALREADY_SCHEDULED
};

void rtimer_init(void);

/* A time that has passed counts as the next us. The duration isn't used.
   RTIMER_ERR_ALREADY_SCHEDULED if another one waits. */
int rtimer_set(struct rtimer *rtimer, rtimer_clock_t time,
               rtimer_clock_t duration, rtimer_callback_t func, void *ptr);

#define RTIMER_TIME(task) ((task)->time)
#define RTIMER_NOW() rtimer_arch_now()
rtimer_clock_t rtimer_arch_now(void);

/* Called by the platform when the timer's time has come. */
void rtimer_run_next(void);

/* Wait in a process until the condition holds, but not longer than max_time from
   t0. The condition is evaluated whenever the simulator calls, at least every
   ms. The result is true if it held. */
#define RTIMER_BUSYWAIT_UNTIL_ABS(condition, t0, max_time)                     \
  ({                                                                           \
    bool busywait_held;                                                        \
    while(!(busywait_held = (condition)) &&                                    \
          RTIMER_CLOCK_LT(RTIMER_NOW(), (t0) + (max_time))) {                  \
      rtimer_arch_busywait();                                                  \
    }                                                                          \
    busywait_held;                                                             \
  })
#define RTIMER_BUSYWAIT_UNTIL(condition, max_time)                             \
  ({                                                                           \
    rtimer_clock_t busywait_start = RTIMER_NOW();                              \
    RTIMER_BUSYWAIT_UNTIL_ABS(condition, busywait_start, max_time);            \
  })
#define RTIMER_BUSYWAIT(duration) RTIMER_BUSYWAIT_UNTIL(0, duration)
void rtimer_arch_busywait(void);

#endif
