/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include "contiki.h"
#include "counters-dump.h"
#include "policy-log.h"

static bool is_traced;
static uint16_t said[POLICY_LOG_POLICIES][POLICY_DISCARD + 1]; /* by outcome */

static const char *const faults[POLICY_FAULTS] = {
  [POLICY_FAULT_DIVISION] = "policy_fault_division",
  [POLICY_FAULT_INDEX] = "policy_fault_index",
  [POLICY_FAULT_TURNS] = "policy_fault_turns",
  [POLICY_FAULT_ARGUMENT] = "policy_fault_argument",
  [POLICY_FAULT_RANGE] = "policy_fault_range",
  [POLICY_FAULT_QUEUE] = "policy_fault_queue"
};
static const char *const outcomes[] = { "none", "accept", "discard" };
/*---------------------------------------------------------------------------*/
/* "C-B,notify,Humidity"; the events of time are "time,timeout,-". */
static void
print_event(const struct policy_event *event)
{
  static const char *const directions[] = { "C-B", "B-C", "B-extB", "extB-B" };
  static const char *const operations[] = {
    "notify", "advertise", "subscribe", "unadvertise", "unsubscribe"
  };

  if(event->point == POLICY_POINT_TIME) {
    printf("time,timeout,-");
  } else {
    printf("%s,%s,%s", directions[POLICY_POINT_DIRECTION(event->point)],
           operations[POLICY_POINT_OPERATION(event->point)], policy_topic_names[event->topic]);
  }
}
/*---------------------------------------------------------------------------*/
static void
asked(uint8_t policy, const struct policy_event *event, enum policy_outcome outcome, uint8_t state)
{
  if(policy < POLICY_LOG_POLICIES) {
    said[policy][outcome]++;
  }
  if(is_traced) {
    printf("!pev,%s,", policy_names[policy]);
    print_event(event);
    printf(",%s,%u\n", outcomes[outcome], state);
  }
}
/*---------------------------------------------------------------------------*/
static void
decided(const struct policy_event *event, uint8_t accepts, uint8_t discards, bool accepted)
{
  if(is_traced) {
    printf("!pcf,");
    print_event(event);
    printf(",%u,%u,%s\n", accepts, discards, outcomes[accepted ? POLICY_ACCEPT : POLICY_DISCARD]);
  }
}
/*---------------------------------------------------------------------------*/
static const struct policy_manager_observer observer = { asked, decided };
/*---------------------------------------------------------------------------*/
void
policy_log_start(bool trace)
{
  is_traced = trace;
  memset(said, 0, sizeof(said));
  policy_manager_observer = &observer;
}
/*---------------------------------------------------------------------------*/
void
policy_log_update(const char *what, uint8_t policy, uint8_t other, bool done)
{
  if(policy < policy_count) {
    printf("!pup,%s,%s,%u,%s\n", what, policy_names[policy], other, done ? "done" : "refused");
  } else { /* a number that no policy has */
    printf("!pup,%s,%u,%u,%s\n", what, policy, other, done ? "done" : "refused");
  }
}
/*---------------------------------------------------------------------------*/
void
policy_log_dump(void)
{
  uint8_t i;

  for(i = 0; i < policy_count && i < POLICY_LOG_POLICIES; i++) {
    if(!policy_manager_is_loaded(i) && said[i][POLICY_ACCEPT] == 0
       && said[i][POLICY_DISCARD] == 0 && said[i][POLICY_NO_RULE] == 0) {
      continue; /* it is for other motes */
    }
    printf("!pol,%s,%u,%u,%u,%u,%u\n", policy_names[i], policy_manager_is_loaded(i),
           policies[i].state, said[i][POLICY_ACCEPT], said[i][POLICY_DISCARD],
           said[i][POLICY_NO_RULE]);
  }
#define PRINT_COUNTER(name) counters_dump_one(#name, policy_manager_counters.name);
  POLICY_MANAGER_COUNTERS(PRINT_COUNTER)
  for(i = 0; i < POLICY_FAULTS; i++) {
    counters_dump_one(faults[i], policy_manager_faults[i]);
  }
}
