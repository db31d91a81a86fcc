/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/watchdog.h"

#include <stdio.h>
#include <stdlib.h>

#include "platform/mote.h"

/* Cooja's motes can't reboot. */
void
watchdog_reboot(void)
{
  printf("reboot\n");
  if(fibre_is_running()) {
    fibre_wait(); /* so that the line gets out */
  }
  abort();
}
