/* SPDX-License-Identifier: Apache-2.0 */
#include "distribution-clock.h"
#include "distribution.h"
#include "thread.h"

static struct {
  uint32_t offset; /* reference time - own clock, modulo 2^32 */
  uint32_t error;
  uint32_t least;
  uint32_t stepped;
} aligned;
/*---------------------------------------------------------------------------*/
void
distribution_clock_init(bool reference, uint32_t least)
{
  aligned.offset = 0;
  aligned.error = reference ? 0 : DISTRIBUTION_CLOCK_UNKNOWN;
  aligned.least = least;
  aligned.stepped = 0;
}
/*---------------------------------------------------------------------------*/
uint32_t
distribution_clock_own(void)
{
  return thread_now() + aligned.stepped;
}
/*---------------------------------------------------------------------------*/
uint32_t
distribution_clock_now(void)
{
  return distribution_clock_own() + aligned.offset;
}
/*---------------------------------------------------------------------------*/
uint32_t
distribution_clock_error(void)
{
  return aligned.error;
}
/*---------------------------------------------------------------------------*/
void
distribution_clock_answered(uint32_t asked, uint32_t answered)
{
  uint32_t now = distribution_clock_own();
  uint32_t waited = now - asked;
  uint32_t beyond = waited > 2 * aligned.least ? waited - 2 * aligned.least : 0;
  uint32_t error = beyond / 2 + beyond % 2;
  uint32_t offset = answered + waited / 2 - now;
  int32_t moved = (int32_t)(offset - aligned.offset);
  uint32_t apart = moved < 0 ? -(uint32_t)moved : (uint32_t)moved;
  bool known = aligned.error != DISTRIBUTION_CLOCK_UNKNOWN;

  distribution_counters.clock_exchanges++;
  if(known && apart > (uint64_t)error + aligned.error + DISTRIBUTION_CLOCK_DRIFT) {
    distribution_counters.clock_steps++;
    known = false;
  }
  if(!known || error <= aligned.error) {
    aligned.offset = offset;
    aligned.error = error;
  }
}
/*---------------------------------------------------------------------------*/
void
distribution_clock_step(int32_t us)
{
  aligned.stepped += (uint32_t)us;
}
