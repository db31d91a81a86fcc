/* SPDX-License-Identifier: Apache-2.0 */
/* What a blackboard without threads takes for them: four that run or don't. */
#ifndef BLACKBOARD_THREADS_H_
#define BLACKBOARD_THREADS_H_

#include <stdbool.h>
#include <stdint.h>

struct thread {
  bool alive;
};
struct thread_semaphore {
  char c;
};

static struct thread threads[4] = { { true }, { true }, { true }, { true } };
static unsigned woken; /* how often the blackboard's thread would have been */
/*---------------------------------------------------------------------------*/
static uint8_t
number_of(struct thread *thread)
{
  return thread - threads;
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

#endif
