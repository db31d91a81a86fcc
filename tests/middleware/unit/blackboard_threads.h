/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for threads: four that run or don't. */
#ifndef BLACKBOARD_THREADS_H_
#define BLACKBOARD_THREADS_H_

#include <stdbool.h>
#include <stdint.h>

struct thread {
  bool alive;
  unsigned life; /* how often it has stopped */
};
struct thread_semaphore {
  char c;
};

static void notify(const struct blackboard_notice *notice);

static struct thread threads[4] = {
  { true, 0 }, { true, 0 }, { true, 0 }, { true, 0 } };
static unsigned woken; /* how often the blackboard's thread would have been woken */

/* The number of the thread that does the steps; NOBODY for a process. */
#define NOBODY -1
static int caller = NOBODY;
static int blockers[BLACKBOARD_NUMBER_OF_EVENTS];
static unsigned lives[BLACKBOARD_NUMBER_OF_EVENTS]; /* theirs, as they took it */
/*---------------------------------------------------------------------------*/
static int
number_of(struct thread *thread)
{
  return thread->alive ? thread - threads : BLACKBOARD_STOPPED_HANDLER;
}
/*---------------------------------------------------------------------------*/
static bool
is_alive(uint8_t thread)
{
  return threads[thread].alive;
}
/*---------------------------------------------------------------------------*/
static void
wake(void)
{
  woken++;
}
/*---------------------------------------------------------------------------*/
static void
take(uint8_t flag)
{
  blockers[flag] = caller;
  lives[flag] = caller == NOBODY ? 0 : threads[caller].life;
}
/*---------------------------------------------------------------------------*/
static bool
leave(uint8_t flag)
{
  return blockers[flag] == caller;
}
/*---------------------------------------------------------------------------*/
static bool
is_left(uint8_t flag)
{
  int blocker = blockers[flag];

  return blocker != NOBODY
    && (!threads[blocker].alive || threads[blocker].life != lives[flag]);
}

static const struct blackboard_port port = {
  .notify = notify, .number = number_of, .is_alive = is_alive, .wake = wake,
  .take = take, .leave = leave, .is_left = is_left };

#endif
