/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "cpu-use.h"
#include "modelled-sensor.h"
#include "thread-lock.h"

/* The temperature is a triangle wave between 18 and 26 degrees with a period of
   a minute, and noise of up to 0.1. */
#define MIDDLE 2200
#define SWING 400
#define PERIOD 60000 /* ms */
#define NOISE 10
#define STEP 100 /* ms for which it stays the same */

uint32_t modelled_sensor_samples;

static struct thread_mutex sensor = THREAD_MUTEX;
static uint32_t conversion;
static uint32_t world; /* which mote of which seed */
static uint32_t began; /* us */
/*---------------------------------------------------------------------------*/
/* Mixes all bits (the finaliser of MurmurHash3, by A. Appleby). */
static uint32_t
mixed(uint32_t x)
{
  x = (x ^ x >> 16) * 0x85ebca6bUL;
  x = (x ^ x >> 13) * 0xc2b2ae35UL;
  return x ^ x >> 16;
}
/*---------------------------------------------------------------------------*/
void
modelled_sensor_init(uint32_t seed, uint16_t mote, uint32_t us)
{
  world = mixed(seed * 65599UL + mote);
  conversion = us;
  began = thread_now();
  modelled_sensor_samples = 0;
}
/*---------------------------------------------------------------------------*/
int32_t
modelled_sensor_at(uint32_t ms)
{
  uint32_t step = ms / STEP;
  uint32_t phase = (step * STEP % PERIOD + world % PERIOD) % PERIOD;
  int32_t rise = phase < PERIOD / 2 ? phase : PERIOD - phase;
  int32_t noise = mixed(world + step) % (2 * NOISE + 1);

  return MIDDLE - SWING + rise * (2 * SWING) / (PERIOD / 2) + noise - NOISE;
}
/*---------------------------------------------------------------------------*/
int32_t
modelled_sensor_read(void)
{
  uint32_t at;

  thread_mutex_lock(&sensor);
  at = thread_now() - began;
  cpu_use(conversion);
  modelled_sensor_samples++;
  thread_mutex_unlock(&sensor);
  return modelled_sensor_at(at / 1000);
}
