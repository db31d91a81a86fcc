/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run.h"

#include "base/text.h"
#include "observation/watch.h"
#include "operation/mobility.h"
#include "operation/population.h"
#include "operation/requests.h"
#include "outside/outside.h"
#include "radio/medium.h"
#include "run/capacity.h"
#include "run/door.h"
#include "run/mote_types.h"
#include "script/end_script.h"
#include "script/javascript.h"
#include "script/script.h"
#include "sky/awake.h"
#include "ticks/tick.h"

#include <locale.h>
#include <string.h>

static void
log_text(struct simulation *simulation, const char *before, int64_t number)
{
  char digits[20];

  log_append(&simulation->log, before, strlen(before));
  log_append(&simulation->log, digits, format_number(digits, number));
  log_append(&simulation->log, "\n", 1);
}

void
simulation_prepare(struct simulation *simulation)
{
  queue_init(&simulation->queue);
  java_random_seed(&simulation->random, simulation->seed);
  event_init(&simulation->timeout);
  for(uint32_t i = 0; i < simulation->type_count; i++) {
    struct mote_type *type = &simulation->types[i];
    if(type->capacity > 0) {
      mote_type_open(simulation, type);
    }
  }
  capacity_check_memory(simulation);
  setlocale(LC_ALL, ""); /* as the JVM does, so that firmware's decimal point and wide characters are the environment's */
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    struct mote *mote = &simulation->motes[i];
    mote_create(simulation, mote);
    mote_set_id(simulation, mote, mote->id);
    mote->added = 1;
    queue_wake(&simulation->queue, &mote->wakeup, 0);
  }
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    int64_t delay = simulation->start_delay_us > 0 ? java_random_int(&simulation->random, simulation->start_delay_us) : 0;
    mote_set_start(&simulation->motes[i], delay);
  }
  population_open(simulation);
  medium_init(simulation);
  /* Inserted before any event of the run itself, so it comes first among those at its time. */
  queue_insert(&simulation->queue, &simulation->timeout, simulation->script->timeout_us);
  mobility_start(simulation);
}

/* Runs event after event to the time-out, or until the script has decided. */
static inline void
run_events(struct simulation *simulation)
{
  struct script *script = simulation->script;
  struct event *event;
  const uintptr_t motes = (uintptr_t)simulation->motes, motes_size = simulation->mote_capacity * sizeof(*simulation->motes);

  while(!simulation->log.closed && (event = queue_take(&simulation->queue)) != &simulation->timeout) {
    simulation->events++;
    /* Most events are wake-ups, which are the first member of a mote, and most of those take little time. */
    if((uintptr_t)event - motes < motes_size) {
      if(mote_skips(simulation, (struct mote *)event)) {
        continue;
      }
      mote_execute(simulation, (struct mote *)event);
    } else {
      struct time_event *time_event = (struct time_event *)event;
      time_event->execute(simulation, time_event);
    }
    if(simulation->requests != NULL) {
      requests_execute(simulation);
    }
    if(simulation->due) {
      script->hand_over(simulation);
    }
    if(watch_wanted) {
      watch_attend();
    }
  }
}

/* Runs events in the same way; if motes' faults are contained, it goes on after an event in which a mote ended. */
static void
run_contained(struct simulation *simulation)
{
  sigjmp_buf escape;

  if(simulation->fell != NULL) {
    if(sigsetjmp(escape, 0) != 0) {
      watch_after_escape();
      queue_next_event(&simulation->queue);
      awake_resume(simulation);
      simulation->fell(simulation, watch_fallen, watch_fault.bytes, watch_fault.used);
    }
    watch_escape = &escape;
  }
  run_events(simulation);
  watch_escape = NULL;
}

bool
simulation_run(struct simulation *simulation)
{
  struct script *script = simulation->script;
  bool ok, stopped;

  log_text(simulation, "Random seed: ", simulation->seed);
  if(simulation->outside != NULL) {
    outside_start(simulation);
  }
  do {
    if(script->driven) {
      door_wait(simulation);
    }
    run_contained(simulation);
  } while(script->driven && !simulation->log.closed);
  if(!simulation->log.closed && script->ends != NULL) {
    end_script_timeout(simulation);
  } else if(!simulation->log.closed) {
    javascript_timeout(simulation);
  }
  simulation->events += simulation->heard;
  simulation->skipped += simulation->heard;
  ok = !script->failed;
  stopped = outside_ended(simulation, &ok);
  if(!stopped) { /* who ends Cooja from outside leaves the script no verdict */
    log_append(&simulation->log, ok ? "TEST OK\n" : "TEST FAILED\n", ok ? 8 : 12);
  }
  log_text(simulation, "Test ended at simulation time: ", simulation->queue.now);
  outside_end(simulation);
  return ok;
}
