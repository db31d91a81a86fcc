/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "needs.h"
#include "pubsub.h"
#include "pubsub-octets.h"
#include "timed-run.h"

static uint16_t heard[APPLICATIONS];
static struct recorded last[TIMED_RUN_PUBLISHERS];
/*---------------------------------------------------------------------------*/
/* Every reading arrives, and its value shows which applications need it. */
static void
reading(const struct pubsub_event *event, uint16_t from, void *context)
{
  unsigned publisher = event->contributor[0].publisher - 1, i;

  timed_run_arrived(event, from, NULL);
  if(event->length != 4 || publisher >= TIMED_RUN_PUBLISHERS) {
    return;
  }
  for(i = 0; i < APPLICATIONS; i++) {
    heard[i] += needs_it(i, (int32_t)pubsub_get32(event->data),
                         &last[publisher]);
  }
}
/*---------------------------------------------------------------------------*/
static void
report(const struct pubsub_event *event, uint16_t from, void *context)
{
  timed_run_arrived(event, from, context);
  heard[(uintptr_t)context]++;
}
/*---------------------------------------------------------------------------*/
bool
sink_init(void)
{
  unsigned i;

  if(needs.blackboard) {
    return pubsub_subscribe(pubsub_subject("reading"), reading, NULL, NULL)
      != NULL;
  }
  for(i = 0; i < APPLICATIONS; i++) {
    if(pubsub_subscribe(pubsub_subject(needs_names[i]), report,
                        (void *)(uintptr_t)i, NULL) == NULL) {
      return false;
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
void
sink_dump(void)
{
  unsigned i;

  printf("heard of");
  for(i = 0; i < APPLICATIONS; i++) {
    printf(" %s %u", needs_names[i], (unsigned)heard[i]);
  }
  printf("\n");
}
