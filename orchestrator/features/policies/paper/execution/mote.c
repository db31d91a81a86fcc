/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mote for counting instructions or cycles: nothing is below the middleware but a clock
 * that stands still, one timer, and a link that takes every frame.
 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "mote.h"
#include "pubsub-link.h"

void (*hear)(const uint8_t *frame, uint16_t length);
struct process *process_current;

static struct ctimer *running[8]; /* timers that were set */
static uint8_t timers;
/*---------------------------------------------------------------------------*/
/* What an event has to wait for, without the wait. */
void
run_timers(void)
{
  struct ctimer *timer;

  while(timers > 0) {
    timer = running[--timers];
    timer->f(timer->ptr);
  }
}
/*---------------------------------------------------------------------------*/
void
ctimer_stop(struct ctimer *timer)
{
  uint8_t i;

  for(i = 0; i < timers; i++) {
    if(running[i] == timer) {
      running[i] = running[--timers];
      return;
    }
  }
}
/*---------------------------------------------------------------------------*/
void
ctimer_set_with_process(struct ctimer *timer, clock_time_t after, void (*f)(void *), void *ptr,
                        struct process *process)
{
  ctimer_stop(timer);
  timer->f = f;
  timer->ptr = ptr;
  running[timers++] = timer;
}
/*---------------------------------------------------------------------------*/
clock_time_t
clock_time(void)
{
  return 1000;
}
/*---------------------------------------------------------------------------*/
unsigned short
random_rand(void)
{
  return 7;
}
/*---------------------------------------------------------------------------*/
rtimer_clock_t
rtimer_arch_now(void)
{
  return 1000;
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_init(void (*input)(const uint8_t *frame, uint16_t length))
{
  hear = input;
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_send(const uint8_t *frame, uint16_t length, uint16_t number,
                 void (*sent)(uint16_t number, const char *reason))
{
  sent(number, NULL);
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_send_to(const linkaddr_t *receiver, const uint8_t *frame,
                    uint16_t length, pubsub_link_done done)
{
  done(frame, length, NULL, 1);
}
/*---------------------------------------------------------------------------*/
const linkaddr_t *
pubsub_link_sender(void)
{
  static const linkaddr_t nobody;

  return &nobody;
}
