/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/clock.h"

#include "platform/mote.h"

void
clock_init(void)
{
}

clock_time_t
clock_time(void)
{
  return (clock_time_t)simCurrentTime;
}

unsigned long
clock_seconds(void)
{
  return (unsigned long)(simCurrentTime / CLOCK_SECOND);
}

void
clock_wait(clock_time_t ticks)
{
  fibre_sleep((int64_t)ticks * 1000);
}

/* Computing takes no time in the simulator, so a delay shorter than its shortest
   wait is none. */
void
clock_delay_usec(uint16_t us)
{
  if(us >= 1000) {
    fibre_sleep(us);
  }
}
