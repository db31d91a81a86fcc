/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/awake.h"

_Static_assert((int)MSP430_SLEEPS == (int)LOW_POWER_MODES, "each mode has its time");

void
awake_processor_times(const struct awake_mote *awake, struct processor_times *times)
{
  const struct mote *mote = awake->mote;
  int64_t end = mote->removed ? awake->removed_us : awake->simulation->queue.now, asleep = 0;
  int mode = msp430_sleeps(awake->mcu);

  *times = (struct processor_times){0};
  for(int i = 0; awake->booted && i < MSP430_SLEEPS; i++) {
    double slept = msp430_slept_us(awake->mcu, i) / mote->deviation;
    if(i == mode && end > awake->last_us) { /* it sleeps since, and nothing had to run it */
      slept += (double)(end - awake->last_us);
    }
    times->asleep_us[i] = (int64_t)(slept + 0.5);
    asleep += times->asleep_us[i];
  }
  if(awake->booted && end + mote->drift_us > asleep) {
    times->active_us = end + mote->drift_us - asleep;
  }
}
