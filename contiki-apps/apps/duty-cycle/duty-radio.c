/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "sys/ctimer.h"
#include "net/netstack.h"
#include "blackboard-crosslayer.h"
#include "blackboard-thread.h"
#include "duty-radio.h"
#include "thread.h"
#include "thread-lock.h"

THREAD(duty, THREAD_PRIORITY_HIGH, 256);

static struct thread_semaphore changed = THREAD_SEMAPHORE(0);
static struct blackboard_box queue_length = { 0, &changed };
static struct ctimer window_timer;
static clock_time_t window;
static uint8_t when;
static int number;
/*---------------------------------------------------------------------------*/
static void
off(void *unused)
{
  NETSTACK_MAC.off();
}
/*---------------------------------------------------------------------------*/
/* A frame that waits is about to check whether the channel is clear. */
THREAD_BODY(duty)
{
  while(1) {
    blackboard_wait(EVENT_QUEUE, number, &changed);
    if(queue_length.value > 0) {
      NETSTACK_MAC.on();
    } else {
      NETSTACK_MAC.off();
    }
  }
}
/*---------------------------------------------------------------------------*/
bool
duty_radio_start(uint8_t chosen, clock_time_t ticks, uint32_t deadline)
{
  const struct blackboard_subscription subscription = {
    .notification = BLACKBOARD_BY_SEMAPHORE | BLACKBOARD_WITH_VALUE,
    .thread = &duty, .deadline = deadline,
    .handler.box = &queue_length
  };

  when = chosen;
  window = ticks;
  if(when == DUTY_QUEUE) {
    thread_start(&duty);
    number = blackboard_subscribe(EVENT_QUEUE, &subscription);
    if(number < 0) {
      return false;
    }
  }
  if(when != DUTY_ALWAYS) {
    NETSTACK_MAC.off();
  }
  return true;
}
/*---------------------------------------------------------------------------*/
void
duty_radio_stop(void)
{
  if(when == DUTY_QUEUE) {
    thread_stop(&duty);
  }
  ctimer_stop(&window_timer);
  NETSTACK_MAC.on();
}
/*---------------------------------------------------------------------------*/
void
duty_radio_expect_burst(void)
{
  if(when == DUTY_TIMER) {
    NETSTACK_MAC.on();
    ctimer_set(&window_timer, window, off, NULL);
  }
}
