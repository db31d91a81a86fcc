/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/watchdog.h"

#include <stdio.h>
#include <stdlib.h>

#include "platform/mote.h"

void
watchdog_init(void)
{
}

void
watchdog_start(void)
{
}

void
watchdog_periodic(void)
{
}

void
watchdog_stop(void)
{
}

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
