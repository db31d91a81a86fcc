/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What random threads do with the blackboard, joined to them by blackboard-thread.c. A thread has two
 * semaphores, of an event each: y0:5000 subscribes by the first with a deadline (again: one more, by the
 * same), n0 waits for it, P1 publishes event 1, B1 and U1 block and unblock it.
 */
#ifndef RANDOM_BOARD_H_
#define RANDOM_BOARD_H_

#include "blackboard-thread.h"

#define SEMAPHORES 2

static struct thread_semaphore of_thread[THREADS_MAX][SEMAPHORES];

/* Returns the event of a thread's semaphore. */
static unsigned
board_event(unsigned thread, unsigned semaphore)
{
  return (thread + semaphore) % BLACKBOARD_NUMBER_OF_EVENTS;
}

static void
board_start(void)
{
  static const struct thread_semaphore nothing_yet = THREAD_SEMAPHORE(0);

  for(unsigned i = 0; i < THREADS_MAX * SEMAPHORES; i++) {
    of_thread[i / SEMAPHORES][i % SEMAPHORES] = nothing_yet;
  }
  blackboard_start();
}

/* Errors are negative or, of threads, positive. */
static int
board_do(char what, unsigned thread, unsigned long first, unsigned long second)
{
  if(what == 'y') {
    const struct blackboard_subscription subscription = {
      .notification = BLACKBOARD_BY_SEMAPHORE, .thread = thread_self(), .deadline = second,
      .handler.semaphore = &of_thread[thread][first] };
    int result = blackboard_subscribe(board_event(thread, first), &subscription);

    return result < 0 ? result : 0;
  }
  switch(what) {
  case 'n': return blackboard_wait(board_event(thread, first), 0, &of_thread[thread][first]);
  case 'P': return blackboard_publish_request(first, 0);
  case 'B': return blackboard_block(first);
  case 'U': blackboard_unblock(first); return 0;
  default: abort();
  }
}

#endif
