/* SPDX-License-Identifier: Apache-2.0 */
/* Recursion that is too deep for the stack of the processes, or a failed assertion. */
#include "contiki.h"
#include "lib/assert.h"

#include <stdio.h>
#include <string.h>

#include "dev/serial-line.h"

PROCESS(overflow_process, "Overflow");
AUTOSTART_PROCESSES(&overflow_process);

static __attribute__((noinline)) int
dig(int depth)
{
  volatile char here[24];

  memset((char *)here, depth, sizeof(here));
  return depth == 0 ? here[0] : dig(depth - 1) + here[1];
}

PROCESS_THREAD(overflow_process, ev, data)
{
  PROCESS_BEGIN();
  printf("fits %d\n", dig(50) != 1);
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message);
    if(strcmp(data, "dig") == 0) {
      printf("deep %d\n", dig(130));
    } else {
      assert(strcmp(data, "right") == 0);
    }
  }
  PROCESS_END();
}
