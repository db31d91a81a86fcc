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
static clock_time_t since[POLICY_TIMEOUTS_MAX]; /* its policy was loaded, or entered a state */
static clock_time_t last_event;
static uint8_t running; /* bit i: number i */
static bool any_fired;  /* since the last event */
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
/* Clock ticks until it comes, 0 if it is to come now. */
static clock_time_t
remaining(uint8_t i)
{
  const struct policy_timeout *timeout = of(i);
  clock_time_t now = clock_time(), passed = now - since[i];

  if(timeout->clock == POLICY_IDLE && passed > now - last_event) {
    passed = now - last_event;
  }
  return passed < timeout->period ? timeout->period - passed : 0;
}
/*---------------------------------------------------------------------------*/
/* The timer of one that is stopped may come: it looks. */
static void
wait(void)
{
  clock_time_t first = (clock_time_t)-1, one;
  uint8_t i, bit;

  for(i = 0, bit = 1; i < count(); i++, bit <<= 1) {
    if(running & bit && (one = remaining(i)) < first) {
      first = one;
    }
  }
  if(running != 0) {
    ctimer_set(&timer, first, expired, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static void
fire(const struct policy_timeout *timeout)
{
  struct policy_event event;

  policy_manager_counters.policy_timeouts_fired++;
  policy_manager_begin(&event, POLICY_POINT_TIME, 0);
  policy_manager_ask(timeout->policy, timeout->handler, &event);
  policy_operations_carry_out();
}
/*---------------------------------------------------------------------------*/
static void
expired(void *ptr)
{
  uint8_t i, bit;

  for(i = 0, bit = 1; i < count(); i++, bit <<= 1) {
    if(running & bit && remaining(i) == 0) {
      running &= ~bit;
      any_fired = true;
      if(of(i)->policy->flags & POLICY_LOADED) {
        fire(of(i));
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
  any_fired = false;
  ctimer_stop(&timer);
}
/*---------------------------------------------------------------------------*/
/* The periods begin of a policy, or, with NULL, those of all policies' time-outs. Of a
   policy that was loaded already only its timers'. */
void
policy_timeouts_begin(const struct policy *policy, bool is_loaded)
{
  const struct policy_timeout *timeout;
  uint8_t i, bit, begun = 0;

  for(i = 0, bit = 1; i < count(); i++, bit <<= 1) {
    timeout = of(i);
    if(policy == NULL ? timeout->clock == POLICY_IDLE && timeout->policy->flags & POLICY_LOADED
       : timeout->policy == policy && (is_loaded || timeout->clock == POLICY_IN_STATE)) {
      since[i] = clock_time();
      begun |= bit;
#if POLICY_BYTECODE
      if(timeout->period == 0) { /* another program had it */
        begun &= ~bit;
        running &= ~bit;
      }
#endif
    }
  }
  running |= begun;
  if(begun != 0) {
    wait();
  }
}
/*---------------------------------------------------------------------------*/
/* Most events only say when they were: one that runs looks when its timer comes. */
void
policy_timeouts_event(void)
{
  last_event = clock_time();
  if(any_fired) {
    any_fired = false;
    policy_timeouts_begin(NULL, true);
  }
}
