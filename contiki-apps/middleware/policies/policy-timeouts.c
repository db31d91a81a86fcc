/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of time. A time-out (4.1.1) comes when there was no publish/subscribe
 * event at this mote for its period, once in each silence. A timer (5.3) comes once,
 * when its policy has been in a state for its period.
 */
#include "contiki.h"
#include "sys/ctimer.h"
#include "policy-manager.h"

/* Time-outs and timers of all policies of a firmware. */
#ifdef POLICY_TIMEOUTS_CONF_MAX
#define POLICY_TIMEOUTS_MAX POLICY_TIMEOUTS_CONF_MAX
#else
#define POLICY_TIMEOUTS_MAX 8
#endif

static struct ctimer timer;
static clock_time_t since[POLICY_TIMEOUTS_MAX]; /* its period runs */
static uint8_t running; /* bit i: number i */
_Static_assert(POLICY_TIMEOUTS_MAX <= 8, "a bit each");

static void expired(void *ptr);
/*---------------------------------------------------------------------------*/
/* Those of a policy in bytecode follow those that are compiled in. */
static const struct policy_timeout *
of(uint8_t i)
{
#if POLICY_BYTECODE
  if(i >= policy_timeout_count) {
    return policy_bytecode_timeout(i - policy_timeout_count);
  }
#endif
  return &policy_timeouts[i];
}
/*---------------------------------------------------------------------------*/
static uint8_t
count(void)
{
  uint16_t all = policy_timeout_count;

#if POLICY_BYTECODE
  all += POLICY_IN_STATE + 1;
#endif
  return all < POLICY_TIMEOUTS_MAX ? all : POLICY_TIMEOUTS_MAX;
}
/*---------------------------------------------------------------------------*/
static clock_time_t
period(uint8_t i)
{
  uint32_t ms = of(i)->period;

  return ms / 1000 * CLOCK_SECOND + ms % 1000 * CLOCK_SECOND / 1000;
}
/*---------------------------------------------------------------------------*/
/* Clock ticks until it comes, 0 if it is to come now. */
static clock_time_t
remaining(uint8_t i)
{
  clock_time_t passed = clock_time() - since[i];

  return passed < period(i) ? period(i) - passed : 0;
}
/*---------------------------------------------------------------------------*/
static void
wait(void)
{
  clock_time_t first = 0, one;
  bool any = false;
  uint8_t i;

  for(i = 0; i < count(); i++) {
    one = remaining(i);
    if(running >> i & 1 && (!any || one < first)) {
      first = one;
      any = true;
    }
  }
  if(any) {
    ctimer_set(&timer, first, expired, NULL);
  } else {
    ctimer_stop(&timer);
  }
}
/*---------------------------------------------------------------------------*/
static void
fire(uint8_t i)
{
  struct policy_entry entry = {
    POLICY_POINT_TIME, 0, of(i)->handler, of(i)->policy
  };
  struct policy_event event = { POLICY_POINT_TIME, 0, 0, 0 };

  policy_manager_counters.policy_timeouts_fired++;
  policy_manager_present.number++;
  policy_manager_present.topic = 0;
  policy_manager_ask(&entry, &event);
  policy_operations_carry_out();
}
/*---------------------------------------------------------------------------*/
static void
expired(void *ptr)
{
  uint8_t i;

  for(i = 0; i < count(); i++) {
    if(running >> i & 1 && remaining(i) == 0) {
      running &= ~(1u << i);
      if(policy_manager_is_loaded(of(i)->policy - policies)) {
        fire(i);
      }
    }
  }
  wait();
}
/*---------------------------------------------------------------------------*/
void
policy_timeouts_init(void)
{
  running = 0;
  ctimer_stop(&timer);
}
/*---------------------------------------------------------------------------*/
/* The timer of those that run stays: when it comes, it looks. */
void
policy_timeouts_event(void)
{
  bool any = false;
  uint8_t i;

  for(i = 0; i < count(); i++) {
    if(of(i)->clock == POLICY_IDLE) {
      since[i] = clock_time();
      if(!(running >> i & 1) && policy_manager_is_loaded(of(i)->policy - policies)
         && of(i)->period > 0) {
        running |= 1u << i; /* the silence is over */
        any = true;
      }
    }
  }
  if(any) {
    wait();
  }
}
/*---------------------------------------------------------------------------*/
void
policy_timeouts_entered(const struct policy *policy)
{
  bool any = false;
  uint8_t i;

  for(i = 0; i < count(); i++) {
    if(of(i)->policy != policy) {
      continue;
    }
#if POLICY_BYTECODE
    if(of(i)->period == 0) { /* another program had it */
      running &= ~(1u << i);
      continue;
    }
#endif
    if(of(i)->clock == POLICY_IN_STATE || !(running >> i & 1)) {
      since[i] = clock_time();
      running |= 1u << i;
      any = true;
    }
  }
  if(any) {
    wait();
  }
}
