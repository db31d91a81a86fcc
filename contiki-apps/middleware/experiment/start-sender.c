/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "run-frames.h"
#include "start-sender.h"

static const struct start_time *start;
static struct ctimer timer;
static uint8_t number, left;
static bool previous_is_out;
static uint32_t previous_at;
/*---------------------------------------------------------------------------*/
static void
is_out(bool transmitted)
{
  previous_is_out = transmitted;
  previous_at = run_now();
}
/*---------------------------------------------------------------------------*/
static void
send(void *unused)
{
  struct run_command command = { .code = RUN_START };

  command.start.number = ++number;
  command.start.hops = start->hops + 1;
  command.start.remaining = start->at - run_now();
  command.start.remaining_at_previous = previous_is_out && start->exact
    ? start->at - previous_at : START_TIME_UNKNOWN;
  previous_is_out = false;
  if(--left > 0) {
    /* Neighbours that send in step would collide every time. */
    ctimer_set(&timer, START_SENDER_INTERVAL
               - random_rand() % (START_SENDER_INTERVAL / 2), send, NULL);
  }
  run_command_send(&command, is_out);
}
/*---------------------------------------------------------------------------*/
void
start_sender_begin(const struct start_time *known, clock_time_t wait)
{
  start = known;
  left = START_SENDER_REPEATS;
  ctimer_set(&timer, wait, send, NULL);
}
/*---------------------------------------------------------------------------*/
void
start_sender_stop(void)
{
  ctimer_stop(&timer);
}
