/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One node of a system that distributes data: its clock is aligned with the first node's, its tasks run for the
 * duration, and everything is logged. README.md explains.
 */
#include <stdio.h>
#include "contiki.h"
#include "distribution-clock.h"
#include "configured-routes.h"
#include "counters-dump.h"
#include "distribution.h"
#include "distribution-channel.h"
#include "eeprom-fields.h"
#include "energy-states.h"
#include "identity.h"
#include "pubsub-counters.h"
#include "thread-log.h"

#define WORDS_OF_TASK 6
#define MOST_NAMES 255
#define MOST_MOTES 32
#define MOST_LINKS 48

#define ASK_MS 100       /* between two questions before the start */
#define SOONER_US 300000 /* so long before the start a node is ready */
#define OTHERS_DUMP (3 * CLOCK_SECOND)

static struct eeprom_fields fields;
static struct distribution_task tasks[DISTRIBUTION_TASKS];
static struct distribution_link links[MOST_LINKS];
static uint16_t motes[MOST_MOTES];
static char names[MOST_NAMES + 1];
static struct thread threads[DISTRIBUTION_TASKS];
static uint8_t stacks[DISTRIBUTION_TASKS][DISTRIBUTION_STACK]
  __attribute__((aligned(THREAD_STACK_ALIGNMENT)));

PROCESS(distribution_process, "Distribution");
AUTOSTART_PROCESSES(&identity_process, &distribution_process);
/*---------------------------------------------------------------------------*/
static bool
takes_part(void)
{
  return fields.node != 0;
}
/*---------------------------------------------------------------------------*/
static void
read_tasks(unsigned count)
{
  const char *name = names;

  for(unsigned i = 0; i < count; i++) {
    const uint8_t at = (uint8_t)(i * WORDS_OF_TASK);
    uint32_t packed = eeprom_fields_tasks(at + 5);

    tasks[i] = (struct distribution_task){
      .name = name, .period = eeprom_fields_tasks(at), .release = eeprom_fields_tasks(at + 1),
      .deadline = eeprom_fields_tasks(at + 2), .execution = eeprom_fields_tasks(at + 3),
      .validity = eeprom_fields_tasks(at + 4), .number = packed & 0xff, .kind = packed >> 8 & 0xff,
      .priority = packed >> 16 & 0xff, .source = packed >> 24
    };
    while(*name++ != '\0') {
    }
  }
}
/*---------------------------------------------------------------------------*/
static const char *
configure(struct distribution_node *node)
{
  unsigned i, tasks_count, links_count, motes_count;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  tasks_count = eeprom_fields_tasks_count() / WORDS_OF_TASK;
  links_count = eeprom_fields_links_count();
  motes_count = eeprom_fields_motes_count();
  if(tasks_count > DISTRIBUTION_TASKS || links_count > MOST_LINKS || motes_count > MOST_MOTES) {
    return "more tasks, links or motes than this firmware has room for";
  }
  for(i = 0; i < eeprom_fields_names_count(); i++) {
    names[i] = (char)eeprom_fields_names((uint8_t)i);
  }
  names[i] = '\0';
  read_tasks(tasks_count);
  for(i = 0; i < links_count; i++) {
    uint32_t packed = eeprom_fields_links((uint8_t)i);

    links[i] = (struct distribution_link){
      packed & 0xff, packed >> 8 & 0xff, packed >> 16 & 0xff, packed >> 24
    };
  }
  configured_routes_set(PUBSUB_NOBODY);
  for(i = 0; i < motes_count; i++) {
    motes[i] = eeprom_fields_motes((uint8_t)i);
    if(motes[i] != fields.mote && !configured_routes_add_neighbour(motes[i])) {
      return "more neighbours than this firmware has room for";
    }
  }
  *node = (struct distribution_node){
    .node = fields.node - 1, .motes_count = motes_count, .motes = motes, .tasks_count = tasks_count,
    .tasks = tasks, .links_count = links_count, .links = links, .radio = fields.radio,
    .least = fields.least_us, .shortest = fields.shortest, .seed = fields.seed,
    .threads = threads, .stacks = stacks
  };
  return NULL;
}
/*---------------------------------------------------------------------------*/
static bool
no_events(const struct pubsub_event *event, uint16_t from)
{
  return true;
}
/*---------------------------------------------------------------------------*/
static uint32_t
left_until(uint32_t at)
{
  int32_t left = (int32_t)(at - distribution_clock_now());

  return left > 0 ? (uint32_t)left : 0;
}
/*---------------------------------------------------------------------------*/
static bool
has_to_wait(void)
{
  return distribution_clock_error() == DISTRIBUTION_CLOCK_UNKNOWN
         || left_until(fields.warm_up_ms * 1000) > SOONER_US;
}
/*---------------------------------------------------------------------------*/
static void
ask(void)
{
  if(fields.node > 1) {
    distribution_channel_ask();
  }
}
/*---------------------------------------------------------------------------*/
static void
dump(const struct pubsub_counters *counters)
{
  if(fields.radio) {
    counters_dump(counters);
  }
#define DUMP_COUNTER(name) counters_dump_one(#name, distribution_counters.name);
  DISTRIBUTION_COUNTERS(DUMP_COUNTER)
#undef DUMP_COUNTER
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(distribution_process, ev, data)
{
  static struct etimer timer;
  static struct distribution_node node;
  static struct pubsub_counters counters;
  static uint32_t begins, ends;
  static bool stepped;
  const char *fault;

  PROCESS_BEGIN();

  fault = configure(&node);
  if(fault != NULL) {
    printf("distribution: %s\n", fault);
    PROCESS_EXIT();
  }
  pubsub_routing_init(fields.mote, &configured_routes, no_events);
  distribution_init(&node);
  if(!takes_part()) {
    PROCESS_EXIT();
  }
  begins = fields.warm_up_ms * 1000;
  ends = begins + fields.duration_ms * 1000;
  while(has_to_wait()) {
    ask();
    etimer_set(&timer, pubsub_ticks(ASK_MS + 7 * fields.node));
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    if(distribution_clock_own() > 2 * begins) {
      printf("distribution: the reference's clock never answered\n");
      PROCESS_EXIT();
    }
  }
  if(fields.trace) {
    thread_log_trace();
  }
  threads_begin_counting();
  energy_states_begin();
  pubsub_counters_start();
  distribution_run(begins, fields.duration_ms * 1000);
  while(left_until(ends) > 0) {
    uint32_t wait = left_until(ends) / 1000 + 1;

    etimer_set(&timer, pubsub_ticks(wait < fields.clock_ms ? wait : fields.clock_ms));
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    ask();
    if(fields.clock_step_us != 0 && !stepped && fields.node == node.motes_count
       && left_until(ends) < fields.duration_ms * 500) {
      stepped = true;
      distribution_clock_step((int32_t)fields.clock_step_us);
    }
  }
  etimer_set(&timer, pubsub_ticks(fields.drain_ms));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  distribution_stop();
  threads_end_counting();
  energy_states_end();
  counters = pubsub_counters;
  dump(&counters);
  PROCESS_PAUSE();
  thread_log_dump();
  PROCESS_PAUSE();
  energy_states_dump();
  if(fields.node == 1) {
    etimer_set(&timer, OTHERS_DUMP);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    printf("!run,end,0\n");
  }

  PROCESS_END();
}
