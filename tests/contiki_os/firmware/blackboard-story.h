/* SPDX-License-Identifier: Apache-2.0 */
/* The stories of the blackboard thread share their output and a subscription by semaphore. */
#ifndef BLACKBOARD_STORY_H_
#define BLACKBOARD_STORY_H_

#include "contiki.h"
#include "blackboard-log.h"
#include "blackboard-thread.h"
#include "cpu-use.h"
#include "dev/moteid.h"
#include "thread-log.h"

#include <stdio.h>

#define MS 1000UL

static void
say(const char *what, long number)
{
  printf("%s: %s %ld\n", thread_self() != NULL ? thread_self()->name : "process", what, number);
}

static int
subscribe(uint8_t event, struct thread *thread, uint32_t deadline, struct thread_semaphore *semaphore)
{
  const struct blackboard_subscription subscription = {
    .notification = BLACKBOARD_BY_SEMAPHORE, .thread = thread, .deadline = deadline, .handler.semaphore = semaphore
  };

  return blackboard_subscribe(event, &subscription);
}

#endif
