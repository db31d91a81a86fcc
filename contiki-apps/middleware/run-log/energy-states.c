/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "sys/energest.h"
#include "energy-states.h"

enum { CPU, LPM, TRANSMIT, LISTEN, STATES };

static const struct {
  const char *name;
  energest_type_t type;
} states[STATES] = {
  { "cpu", ENERGEST_TYPE_CPU },
  { "lpm", ENERGEST_TYPE_LPM },
  { "transmit", ENERGEST_TYPE_TRANSMIT },
  { "listen", ENERGEST_TYPE_LISTEN }
};

static uint64_t time_in[STATES]; /* us; until the end, what each counter was at the begin */
static uint32_t begin, measured; /* ms */
/*---------------------------------------------------------------------------*/
static uint64_t
microseconds(energest_type_t type)
{
  return energest_type_time(type) * 1000000 / ENERGEST_SECOND;
}
/*---------------------------------------------------------------------------*/
static uint32_t
now(void)
{
  return (uint32_t)((uint64_t)clock_time() * 1000 / CLOCK_SECOND);
}
/*---------------------------------------------------------------------------*/
void
energy_states_begin(void)
{
  unsigned i;

  energest_flush();
  for(i = 0; i < STATES; i++) {
    time_in[i] = microseconds(states[i].type);
  }
  begin = now();
}
/*---------------------------------------------------------------------------*/
void
energy_states_end(void)
{
  unsigned i;

  energest_flush();
  for(i = 0; i < STATES; i++) {
    time_in[i] = microseconds(states[i].type) - time_in[i];
  }
  measured = now() - begin;
}
/*---------------------------------------------------------------------------*/
void
energy_states_dump(void)
{
  uint64_t radio = time_in[TRANSMIT] + time_in[LISTEN];
  uint64_t all = (uint64_t)measured * 1000;
  unsigned i;

  for(i = 0; i < STATES; i++) {
    printf("!nrg,%s,%lu\n", states[i].name, (unsigned long)time_in[i]);
  }
  printf("!nrg,off,%lu\n", (unsigned long)(all > radio ? all - radio : 0));
}
