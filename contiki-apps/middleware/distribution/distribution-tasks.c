/* SPDX-License-Identifier: Apache-2.0 */
/* The node's tasks as threads, and what each job leaves in the log: the records `job` and `age`. */
#include <stdio.h>
#include "contiki.h"
#include "distribution-clock.h"
#include "cpu-use.h"
#include "distribution.h"
#include "distribution-channel.h"
#include "thread.h"

_Static_assert(DISTRIBUTION_TASKS <= THREADS_MAX, "a thread for each task: set THREADS_CONF_MAX");

struct distribution_counters distribution_counters;
struct distribution_node distribution_node;

static uint32_t start, duration;
static uint32_t drawn;
/*---------------------------------------------------------------------------*/
/* Xorshift (Marsaglia 2003). */
static uint32_t
draw(uint32_t below)
{
  drawn ^= drawn << 13;
  drawn ^= drawn >> 17;
  drawn ^= drawn << 5;
  return drawn % below;
}
/*---------------------------------------------------------------------------*/
static void
compute(const struct distribution_task *task)
{
  uint32_t least = (uint32_t)(((uint64_t)task->execution * distribution_node.shortest + 99) / 100);

  cpu_use(least + draw(task->execution - least + 1));
}
/*---------------------------------------------------------------------------*/
/* Sleeps until the job's release; false if it is one too many. */
static bool
wait_for_release(const struct distribution_task *task, uint32_t job)
{
  uint64_t at = (uint64_t)job * task->period + task->release;
  int32_t left;

  if(at >= duration) {
    return false;
  }
  while((left = (int32_t)(start + (uint32_t)at - distribution_clock_now())) > 0) {
    thread_sleep((uint32_t)left);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static void
log_job(const struct distribution_task *task, uint32_t job)
{
  static const char *const kinds[] = { "source", "step", "last", "target", "load" };
  uint32_t at = job * task->period + task->release;
  uint32_t response = distribution_clock_now() - start - at;

  printf("!job,%s,%s,%lu,%lu,%ld,%lu\n", task->name, kinds[task->kind - 1], (unsigned long)job,
         (unsigned long)at, (long)(int32_t)response, (unsigned long)task->deadline);
}
/*---------------------------------------------------------------------------*/
/* How old it was as the target had used it; the clocks' errors make it older. */
static void
log_age(const struct distribution_task *task, uint32_t job, const struct distribution_value *value)
{
  uint32_t error = value->error + distribution_clock_error();
  int32_t age = (int32_t)(distribution_clock_now() - value->stamp + error);

  printf("!age,%s,%lu,%ld,%lu,%lu\n", task->name, (unsigned long)job, (long)age, (unsigned long)error,
         (unsigned long)task->validity);
}
/*---------------------------------------------------------------------------*/
static void
update(const struct distribution_task *task, uint32_t job)
{
  struct distribution_value value = { true };

  compute(task);
  value.job = (uint16_t)job;
  value.stamp = distribution_clock_now();
  value.error = distribution_clock_error();
  distribution_channel_update(task->number, &value);
  distribution_channel_push(task->number, &value); /* to targets without any step between */
}
/*---------------------------------------------------------------------------*/
static void
read_newest(const struct distribution_task *task, uint32_t job)
{
  struct distribution_value value = *distribution_channel_newest(task->number);

  compute(task);
  if(value.known) {
    log_age(task, job, &value);
  } else {
    distribution_counters.reads_without_data++;
  }
}
/*---------------------------------------------------------------------------*/
/* The path's job that a value's 16 bits number: of all that end in them the nearest to the one that is due. */
static uint32_t
path_job(const struct distribution_task *task, uint16_t number)
{
  /* A period more: the clock may stand before the first release yet, by its error. */
  uint32_t due = (distribution_clock_now() - start - task->release + task->period) / task->period;

  return due + (int16_t)(number - due);
}
/*---------------------------------------------------------------------------*/
static void
pass_on(const struct distribution_task *task, uint32_t job, struct distribution_value *value)
{
  compute(task);
  log_job(task, job);
  if(value->known) {
    distribution_channel_push(task->number, value);
  }
}
/*---------------------------------------------------------------------------*/
static void
run_released_by_time(const struct distribution_task *task)
{
  for(uint32_t job = 0; wait_for_release(task, job); job++) {
    struct distribution_value value;

    switch(task->kind) {
    case DISTRIBUTION_SOURCE:
      update(task, job);
      log_job(task, job);
      break;
    case DISTRIBUTION_TARGET:
      read_newest(task, job);
      log_job(task, job);
      break;
    case DISTRIBUTION_LOAD:
      compute(task);
      log_job(task, job);
      break;
    default:
      value = *distribution_channel_newest(task->source);
      value.job = (uint16_t)job;
      pass_on(task, job, &value);
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
body(void)
{
  const struct distribution_task *task = &distribution_node.tasks[thread_self() - distribution_node.threads];
  struct distribution_value value;

  if((task->kind != DISTRIBUTION_STEP && task->kind != DISTRIBUTION_LAST) || task->source != 0) {
    run_released_by_time(task);
    return;
  }
  while(1) {
    distribution_channel_wait(task->number, &value);
    pass_on(task, path_job(task, value.job), &value);
  }
}
/*---------------------------------------------------------------------------*/
void
distribution_init(const struct distribution_node *node)
{
  static const struct distribution_counters none;

  distribution_node = *node;
  distribution_counters = none;
  distribution_clock_init(node->node == 0, node->least);
  distribution_channel_init();
}
/*---------------------------------------------------------------------------*/
void
distribution_run(uint32_t begins, uint32_t lasts)
{
  start = begins;
  duration = lasts;
  /* Knuth's multiplier, which is odd; no node has the number 255, so it isn't 0, where Xorshift would stay. */
  drawn = ((distribution_node.seed << 8 | distribution_node.node) + 1) * 2654435761UL;
  for(uint8_t i = 0; i < distribution_node.tasks_count; i++) {
    struct thread *thread = &distribution_node.threads[i];

    thread->name = distribution_node.tasks[i].name;
    thread->body = body;
    thread->stack = distribution_node.stacks[i];
    thread->stack_size = DISTRIBUTION_STACK;
    thread->priority = distribution_node.tasks[i].priority;
    thread_start(thread);
  }
}
/*---------------------------------------------------------------------------*/
void
distribution_stop(void)
{
  for(uint8_t i = 0; i < distribution_node.tasks_count; i++) {
    thread_stop(&distribution_node.threads[i]);
  }
  distribution_counters.clock_error_us = distribution_clock_error();
}
