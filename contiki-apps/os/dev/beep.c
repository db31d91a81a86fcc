/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/beep.h"

#include "platform/mote.h"

void
beep(void)
{
  simBeeped = 1;
}

void
beep_beep(int length)
{
  (void)length;
  beep();
}

void
beep_long(clock_time_t length)
{
  (void)length;
  beep();
}
