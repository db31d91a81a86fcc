/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blackboard and a subscriber, for the tests of single steps: on all three
 * storage concepts (test_blackboard.py), each with events A (unsigned, one value,
 * six subscribers), B (signed, three values, nine), C (fixed, two, six) and
 * D (unsigned, one, two), four conditions, three changes and five requests.
 */
#ifndef BLACKBOARD_NODE_H_
#define BLACKBOARD_NODE_H_

#include <string.h>
#include "blackboard.h"
#include "blackboard_threads.h"
#include "check.h"
#if BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
#include "blackboard-dynamic.h"
#endif

#define CHECK_TEXT(a, b) do { \
    const char *text_ = (a); \
    if(strcmp(text_, b) != 0) { \
      fprintf(stderr, "%s:%d: \"%s\", not \"%s\"\n", __FILE__, __LINE__, \
              text_, b); \
      exit(1); \
    } \
  } while(0)

static struct thread_semaphore semaphore;
static char heard[100]; /* "event.number:value ", in order of notification */
__attribute__((unused)) static bool wanted_now[BLACKBOARD_NUMBER_OF_EVENTS];
/*---------------------------------------------------------------------------*/
static void
notify(const struct blackboard_notice *notice)
{
  snprintf(heard + strlen(heard), sizeof(heard) - strlen(heard), "%c%u:%d ",
           'A' + notice->event, notice->number, (int)notice->value);
}
/*---------------------------------------------------------------------------*/
static inline void
wanted(uint8_t event, bool is_wanted)
{
  wanted_now[event] = is_wanted;
}
/*---------------------------------------------------------------------------*/
/* Makes a subscriber with so many conditions, which are in `conditions`. */
static struct blackboard_condition conditions[3];

static int
subscribe(uint8_t event, uint8_t number)
{
  struct blackboard_subscription subscription = {
    .conditions = conditions, .number_of_conditions = number,
    .notification = BLACKBOARD_BY_SEMAPHORE, .thread = &threads[0],
    .deadline = 100, .handler.semaphore = &semaphore
  };

  return blackboard_subscribe(event, &subscription);
}

static inline void
condition(unsigned which, uint8_t comparison, uint32_t limit)
{
  conditions[which].comparison = comparison;
  conditions[which].limit = limit;
}

/* Returns who is notified of the values, published one after the other. */
static const char *
reached(uint8_t event, uint32_t value)
{
  heard[0] = '\0';
  CHECK_EQUAL(blackboard_publish(event, value, 0), BLACKBOARD_OK);
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE);
  return heard;
}
/*---------------------------------------------------------------------------*/
/* Runs host_main() with a blackboard. */
static int
node_main(const struct test *test, int argc, char **argv)
{
  blackboard_init(&port);
  return host_main(test, argc, argv);
}

#endif
