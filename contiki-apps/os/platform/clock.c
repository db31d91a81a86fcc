/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/clock.h"

#include "platform/mote.h"
#include "sys/etimer.h"

#if CLOCK_IS_COOJAS
void
clock_init(void)
{
}

clock_time_t
clock_time(void)
{
  return (clock_time_t)simCurrentTime;
}

void
clock_wait(clock_time_t ticks)
{
  fibre_sleep((int64_t)ticks * 1000);
}
#else
#define US_PER_SECOND 1000000

/* With more, an etimer's time in us would not fit 64 bits; no simulation is that long. */
#define FARTHEST ((clock_time_t)1 << 40) /* ticks */

static int64_t phase; /* us that this mote's ticks come earlier than those of a clock in step; below a tick */
static int64_t first; /* ticks of the simulation's time at boot */

/* But for the phase, ticks come at the same instants at all motes. (A board's timer begins to count at its boot, so the
   phase is the time of its boot and independent of other motes'.) */
static int64_t
ticks_at(int64_t us)
{
  return (us + phase) * CLOCK_SECOND / US_PER_SECOND;
}

static int64_t
time_of(int64_t ticks)
{
  return (ticks * US_PER_SECOND + CLOCK_SECOND - 1) / CLOCK_SECOND - phase;
}

#if CLOCK_CONF_DRAWN_PHASE
/* The phase depends on the run's seed and the mote alone, so that no other setting and no other draw changes it. It is made
   by the finaliser of Steele, Lea and Flood's SplitMix, "Fast Splittable Pseudorandom Number Generators", 2014. */
static int64_t
drawn_phase(void)
{
  uint64_t x = ((uint64_t)(uint32_t)(simRandomSeed - simMoteID) << 32 | (uint32_t)simMoteID) + UINT64_C(0x9e3779b97f4a7c15);

  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  x ^= x >> 31;
  return (int64_t)((x >> 32) * US_PER_SECOND / CLOCK_SECOND >> 32);
}
#endif

void
clock_init(void)
{
#if CLOCK_CONF_DRAWN_PHASE
  phase = drawn_phase();
#endif
  first = ticks_at(simRtimerCurrentTicks);
}

clock_time_t
clock_time(void)
{
  return (clock_time_t)(ticks_at(simRtimerCurrentTicks) - first);
}

/* Waits until that many ticks have come; the first may come soon. */
void
clock_wait(clock_time_t ticks)
{
  fibre_sleep(time_of(first + (int64_t)(clock_time() + ticks)) - simRtimerCurrentTicks);
}

int64_t
clock_etimer_time(void)
{
  clock_time_t left;

  if(!etimer_pending()) {
    return INT64_MAX;
  }
  left = etimer_next_expiration_time() - clock_time();
  if((int64_t)left <= 0) {
    return simRtimerCurrentTicks + 1000; /* too many events for one tick: as Cooja does with its own clock's */
  }
  return left < FARTHEST ? time_of(first + (int64_t)(clock_time() + left)) : INT64_MAX;
}
#endif

unsigned long
clock_seconds(void)
{
  return (unsigned long)(clock_time() / CLOCK_SECOND);
}

/* Computing takes no time in the simulator, so a delay that is shorter than its shortest wait takes none. */
void
clock_delay_usec(uint16_t us)
{
  if(us >= 1000) {
    fibre_sleep(us);
  }
}
