/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/energest.h"

#if ENERGEST_CONF_ON

static struct {
  uint64_t total;       /* us, up to since */
  rtimer_clock_t since; /* when it was switched on, or last flushed */
  bool on;
} part[ENERGEST_TYPE_MAX];

/* Called once, at boot, when nothing was in use yet and every total is 0. */
void
energest_init(void)
{
  energest_on(ENERGEST_TYPE_CPU);
}

void
energest_on(energest_type_t type)
{
  if(!part[type].on) {
    part[type].on = true;
    part[type].since = ENERGEST_CURRENT_TIME();
  }
}

static void
settle(energest_type_t type)
{
  if(part[type].on) {
    rtimer_clock_t now = ENERGEST_CURRENT_TIME();

    part[type].total += now - part[type].since;
    part[type].since = now;
  }
}

void
energest_off(energest_type_t type)
{
  settle(type);
  part[type].on = false;
}

void
energest_switch(energest_type_t off, energest_type_t on)
{
  energest_off(off);
  energest_on(on);
}

void
energest_flush(void)
{
  for(int i = 0; i < ENERGEST_TYPE_MAX; i++) {
    settle((energest_type_t)i);
  }
}

uint64_t
energest_type_time(energest_type_t type)
{
  return part[type].total;
}

void
energest_type_set(energest_type_t type, uint64_t time)
{
  part[type].total = time;
}

uint64_t
energest_get_total_time(void)
{
  return part[ENERGEST_TYPE_CPU].total + part[ENERGEST_TYPE_LPM].total +
    part[ENERGEST_TYPE_DEEP_LPM].total;
}

#endif
