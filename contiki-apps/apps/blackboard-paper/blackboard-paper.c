/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test case of Stelte (2010), section 6.1, on one mote: it runs for
 * `duration` and `drain`, then prints the counts of its threads and
 * subscribers.
 */
#include <stdio.h>
#include "contiki.h"
#include "blackboard-log.h"
#include "configuration.h"
#include "identity.h"
#include "pubsub/pubsub-clock.h"
#include "test-case.h"
#include "thread-log.h"

PROCESS(blackboard_paper_process, "Blackboard paper");
AUTOSTART_PROCESSES(&identity_process, &blackboard_paper_process);
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(blackboard_paper_process, ev, data)
{
  static struct etimer timer;
  const char *fault;

  PROCESS_BEGIN();

  fault = configuration_read();
  if(fault != NULL) {
    printf("blackboard-paper: %s\n", fault);
    PROCESS_EXIT();
  }
  if(!configuration.runs) {
    PROCESS_EXIT();
  }
  printf("!run,start,0\n");
  test_case_start();
  etimer_set(&timer, pubsub_ticks(configuration.duration));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  test_case_publish_no_more();
  etimer_set(&timer, pubsub_ticks(configuration.drain));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  test_case_stop();
  thread_log_dump();
  blackboard_log_dump();
  printf("!run,end,0\n");

  PROCESS_END();
}
