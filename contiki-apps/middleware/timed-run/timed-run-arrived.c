/* SPDX-License-Identifier: Apache-2.0 */
/* On configured routes events of one publisher and topic arrive in order. */
#include <stdio.h>
#include "contiki.h"
#include "timed-run.h"

static struct {
  uint16_t last[TIMED_RUN_TOPICS]; /* sequence number; 0: none */
  uint16_t events;
  uint16_t duplicates;
} accounts[TIMED_RUN_PUBLISHERS];
/*---------------------------------------------------------------------------*/
void
timed_run_arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  uintptr_t topic = (uintptr_t)context;
  unsigned i;

  for(i = 0; i < event->contributors; i++) {
    unsigned publisher = event->contributor[i].publisher - 1;
    uint16_t sequence = event->contributor[i].sequence;
    if(publisher >= TIMED_RUN_PUBLISHERS || topic >= TIMED_RUN_TOPICS) {
      continue;
    }
    if((int16_t)(sequence - accounts[publisher].last[topic]) > 0) {
      accounts[publisher].last[topic] = sequence;
      accounts[publisher].events++;
    } else {
      accounts[publisher].duplicates++;
    }
  }
}
/*---------------------------------------------------------------------------*/
void
timed_run_dump_arrived(void)
{
  unsigned i;

  for(i = 0; i < TIMED_RUN_PUBLISHERS; i++) {
    if(accounts[i].events > 0 || accounts[i].duplicates > 0) {
      printf("!from,%u,%u,%u\n", i + 1, (unsigned)accounts[i].events,
             (unsigned)accounts[i].duplicates);
    }
  }
}
