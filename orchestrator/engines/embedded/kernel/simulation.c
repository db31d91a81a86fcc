/* SPDX-License-Identifier: Apache-2.0 */
#include "simulation.h"

#include "idle.h"
#include "room.h"
#include "text.h"
#include "watch.h"

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
    if(type->motes > 0) {
      firmware_open(&type->firmware, type->path, type->motes, room_mappings(simulation, type), !simulation->many_texts);
      abi_resolve(&type->abi, &type->firmware, type->interfaces);
      idle_open(type, !simulation->every_tick);
    }
  }
  room_check_memory(simulation);
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    mote_create(simulation, &simulation->motes[i]);
  }
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    int64_t delay = simulation->start_delay_us > 0 ? java_random_int(&simulation->random, simulation->start_delay_us) : 0;
    mote_set_start(simulation, &simulation->motes[i], delay);
  }
  medium_init(simulation);
  /* Inserted before any event of the run itself, so it comes first among those at its time. */
  queue_insert(&simulation->queue, &simulation->timeout, simulation->script.timeout_us);
}

bool
simulation_run(struct simulation *simulation)
{
  const struct script *script = &simulation->script;
  struct event *event;
  bool decided = false, ok;

  log_text(simulation, "Random seed: ", simulation->seed);
  while(!decided && (event = queue_take(&simulation->queue)) != &simulation->timeout) {
    simulation->events++;
    /* All other events are wake-ups, the first member of a mote. */
    if((uintptr_t)event - (uintptr_t)simulation->motes < simulation->mote_count * sizeof(*simulation->motes)) {
      mote_execute(simulation, (struct mote *)event);
    } else {
      medium_deliver_late(simulation, event);
    }
    if(watch_wanted) {
      watch_attend();
    }
    decided = simulation->log.closed;
  }
  if(!decided && !script->verdict_at_timeout) {
    static const char TIMEOUT[] = "TEST TIMEOUT\n";
    log_append(&simulation->log, TIMEOUT, sizeof(TIMEOUT) - 1);
  }
  ok = (decided || script->verdict_at_timeout) && (script->success == NULL || script->succeeded) && !script->failed;
  log_append(&simulation->log, ok ? "TEST OK\n" : "TEST FAILED\n", ok ? 8 : 12);
  log_text(simulation, "Test ended at simulation time: ", simulation->queue.now);
  return ok;
}
