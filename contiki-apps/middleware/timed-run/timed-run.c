/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "configured-routes.h"
#include "counters-dump.h"
#include "energy-states.h"
#include "event-trace.h"
#include "thread.h"
#include "thread-log.h"
#include "timed-run.h"

/* For how long the others may still be printing, because they booted up to the
   scenario's start-delay later. */
#define OTHERS_DUMP (5 * CLOCK_SECOND)

struct timed_run timed_run;

static const struct timed_run_callbacks *callbacks;
static struct pubsub_counters counters;

PROCESS(timed_run_process, "Timed run");
/*---------------------------------------------------------------------------*/
const char *
timed_run_take(const struct timed_run *mote, uint8_t neighbours,
               uint16_t (*neighbour)(uint8_t i))
{
  if(mote->role < TIMED_RUN_SUBSCRIBER || mote->role > TIMED_RUN_RELAY
     || mote->index > TIMED_RUN_PUBLISHERS) {
    return "the EEPROM image holds a value out of range";
  }
  timed_run = *mote;
  configured_routes_set(mote->parent);
  return configured_routes_add_neighbours(neighbours, neighbour) ? NULL
    : "more neighbours than this firmware has room for";
}
/*---------------------------------------------------------------------------*/
void
timed_run_refused(const char *application)
{
  printf("%s: a channel or subscription was refused\n", application);
}
/*---------------------------------------------------------------------------*/
bool
timed_run_only_sends(void)
{
  return timed_run.index != 0 && timed_run.publishers_through == 1;
}
/*---------------------------------------------------------------------------*/
void
timed_run_sleep(uint32_t *at, uint32_t period)
{
  int32_t left;

  do {
    *at += period;
    left = (int32_t)(*at - thread_now());
  } while(left <= 0);
  thread_sleep(left);
}
/*---------------------------------------------------------------------------*/
static void
call(void (*callback)(void))
{
  if(callback != NULL) {
    callback();
  }
}
/*---------------------------------------------------------------------------*/
static void
begin_measuring(void)
{
  threads_begin_counting();
  energy_states_begin();
  pubsub_counters_start();
  if(timed_run.trace) {
    event_trace_switch(true);
    thread_log_trace();
  }
}
/*---------------------------------------------------------------------------*/
static void
end_measuring(void)
{
  event_trace_switch(false);
  threads_end_counting();
  energy_states_end();
  counters = pubsub_counters;
}
/*---------------------------------------------------------------------------*/
static void
print_node(void)
{
  static const char *const roles[] = { "subscriber", "publisher", "relay" };

  printf("!node,%s,%u,%u,%u\n", roles[timed_run.role - 1],
         (unsigned)timed_run.index, (unsigned)timed_run.parent,
         (unsigned)timed_run.publishers_through);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(timed_run_process, ev, data)
{
  static struct etimer timer;

  PROCESS_BEGIN();

  etimer_set(&timer, pubsub_ticks(timed_run.warm_up));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  begin_measuring();
  call(callbacks->start);
  etimer_set(&timer, pubsub_ticks(timed_run.duration));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  call(callbacks->stop);
  etimer_set(&timer, pubsub_ticks(timed_run.drain));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  end_measuring();
  print_node();
  counters_dump(&counters);
  PROCESS_PAUSE();
  thread_log_dump();
  PROCESS_PAUSE();
  energy_states_dump();
  call(callbacks->dump);
  if(timed_run.role == TIMED_RUN_SUBSCRIBER) {
    PROCESS_PAUSE();
    timed_run_dump_arrived();
    etimer_set(&timer, OTHERS_DUMP);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    printf("!run,end,0\n");
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
void
timed_run_begin(const struct timed_run_callbacks *of_the_application)
{
  callbacks = of_the_application;
  pubsub_init(timed_run.mote, timed_run.index, &configured_routes);
  process_start(&timed_run_process, NULL);
}
