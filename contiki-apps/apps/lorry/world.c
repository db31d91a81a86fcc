/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "configuration.h"
#include "world.h"

/* A trace is points between which it is a straight line; before the first and behind
   the last it keeps their values. */
struct point {
  uint32_t ms; /* since the scripted event */
  int16_t value;
};
struct trace {
  const struct point *points;
  uint8_t count;
};
#define TRACE(points) { points, sizeof(points) / sizeof((points)[0]) }

#define NOISE 1 /* degrees, either way */
#define HOT 50  /* degrees from which Figure 14's policy sends a reading */

static const struct point usual[] = { { 0, 20 } };
static const struct point burning[] = { { 0, 20 }, { 10000, 80 } };
static const struct point beside_the_fire[] = { { 0, 20 }, { 30000, 30 } };
static const struct point in_the_sun[] = { { 0, 20 }, { 20000, 60 } };
static const struct point opened[] = { { 0, 20 }, { 2000, 35 } };
static const struct point warmed[] = { { 0, 20 }, { 5000, 35 } };
static const struct point warmed_then_opened[] = { { 0, 20 }, { 5000, 35 }, { 25000, 35 }, { 27000, 50 } };
static const struct point clear[] = { { 0, 0 } };
static const struct point smoky[] = { { 4000, 0 }, { 4001, 1 } };

/* By script, where it happens and elsewhere. */
static const struct {
  struct trace temperature[2], smoke[2], package[2];
} scripts[SCRIPTS] = {
#define EVERYWHERE(points) { TRACE(points), TRACE(points) }
#define ELSEWHERE(here, points) { TRACE(here), TRACE(points) }
  [SCRIPT_CALM] = { EVERYWHERE(usual), EVERYWHERE(clear), EVERYWHERE(usual) },
  [SCRIPT_FIRE] = {
    ELSEWHERE(burning, beside_the_fire), ELSEWHERE(smoky, clear), EVERYWHERE(usual)
  },
  [SCRIPT_SUN] = { EVERYWHERE(in_the_sun), EVERYWHERE(clear), EVERYWHERE(usual) },
  [SCRIPT_OPENED] = { EVERYWHERE(usual), EVERYWHERE(clear), ELSEWHERE(opened, usual) },
  [SCRIPT_WARM] = { EVERYWHERE(warmed), EVERYWHERE(clear), EVERYWHERE(warmed) },
  [SCRIPT_WARM_THEN_OPENED] = {
    EVERYWHERE(warmed), EVERYWHERE(clear), ELSEWHERE(warmed_then_opened, warmed)
  },
};

static clock_time_t began;
/*---------------------------------------------------------------------------*/
void
world_begin(void)
{
  began = clock_time();
}
/*---------------------------------------------------------------------------*/
static uint32_t
now(void)
{
  return (uint32_t)((uint64_t)(clock_time() - began) * 1000 / CLOCK_SECOND);
}
/*---------------------------------------------------------------------------*/
static int16_t
at(const struct trace *trace)
{
  const struct point *p = trace->points, *last = p + trace->count - 1;
  uint32_t ms = now();

  if(ms < configuration.event_at + p->ms) {
    return p->value;
  }
  ms -= configuration.event_at;
  for(; p < last && ms >= p[1].ms; p++);
  if(p == last) {
    return p->value;
  }
  return p->value + (int32_t)(p[1].value - p->value) * (int32_t)(ms - p->ms)
    / (int32_t)(p[1].ms - p->ms);
}
/*---------------------------------------------------------------------------*/
/* Mixes all bits (the finaliser of MurmurHash3, by A. Appleby): the same mote of the
   same seed sees the same noise, however often it looks. */
static uint32_t
mixed(uint32_t x)
{
  x = (x ^ x >> 16) * 0x85ebca6bUL;
  x = (x ^ x >> 13) * 0xc2b2ae35UL;
  return x ^ x >> 16;
}
/*---------------------------------------------------------------------------*/
static uint32_t
drawn(void)
{
  return mixed(configuration.seed * 65599UL + configuration.mote * 8191UL + now() / 100);
}
/*---------------------------------------------------------------------------*/
static int16_t
noise(void)
{
  return (int16_t)(drawn() % (2 * NOISE + 1)) - NOISE;
}
/*---------------------------------------------------------------------------*/
/* Of the script random: every degree below, or from, HOT on is as likely as the others. */
static bool
is_hot(void)
{
  return drawn() % 100 < configuration.hot;
}
/*---------------------------------------------------------------------------*/
int16_t
world_temperature(void)
{
  if(configuration.script == SCRIPT_RANDOM) {
    return (int16_t)(drawn() / 100 % HOT) + (is_hot() ? HOT : 0);
  }
  return at(&scripts[configuration.script].temperature[!configuration.near]) + noise();
}
/*---------------------------------------------------------------------------*/
int16_t
world_package_temperature(void)
{
  return at(&scripts[configuration.script].package[!configuration.near]) + noise();
}
/*---------------------------------------------------------------------------*/
bool
world_smoke(void)
{
  if(configuration.script == SCRIPT_RANDOM) {
    return is_hot();
  }
  return at(&scripts[configuration.script].smoke[!configuration.near]) != 0;
}
