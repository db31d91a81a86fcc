/* SPDX-License-Identifier: Apache-2.0 */
/* Runs compiled policies on events from standard input, and prints each one's outcome. */
#include "events.h"

int
main(void)
{
  char line[256];

  for(unsigned i = 0; i < policy_count; i++) {
    policies[i].state = policy_programs[i].initial;
    if(policy_programs[i].start != NULL) {
      policy_programs[i].start();
    }
  }
  while(fgets(line, sizeof(line), stdin) != NULL) {
    struct policy_event event = { 0 };
    unsigned entry = read_event(line, &event);
    struct policy *policy;
    policy_handler_t handler;

    if(entry < policy_entry_count) {
      handler = policy_entries[entry].handler;
      policy = policy_entries[entry].policy;
    } else {
      handler = policy_timeouts[entry - policy_entry_count].handler;
      policy = policy_timeouts[entry - policy_entry_count].policy;
    }
    forget_faults();
    enum policy_outcome outcome = handler(policy, &event);
    print_outcome(outcome, policy, &event);
  }
  return 0;
}
