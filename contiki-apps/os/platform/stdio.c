/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output into Cooja's log interface. */
#include <stdio.h>

#include "platform/mote.h"

/* What a process prints waits for the simulator when the buffer is full, as for
   a serial line. An rtimer can't wait: what it can't print is counted. */
MOTE_ABI int simLoggedLost;

int
putchar(int c)
{
  if(simLoggedLength >= MOTE_CONF_LOG_SIZE && fibre_is_running()) {
    fibre_wait();
  }
  if(simLoggedLength < 0 || simLoggedLength >= MOTE_CONF_LOG_SIZE) {
    simLoggedLost++;
    return (unsigned char)c;
  }
  simLoggedData[simLoggedLength++] = (char)c;
  simLoggedFlag = 1;
  return (unsigned char)c;
}
