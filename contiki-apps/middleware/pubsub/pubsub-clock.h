/* SPDX-License-Identifier: Apache-2.0 */
/* Times in ms, as frames and EEPROM images have them, in ticks of the clock. */
#ifndef PUBSUB_CLOCK_H_
#define PUBSUB_CLOCK_H_

#include <stdint.h>
#include "contiki.h"

static inline clock_time_t
pubsub_ticks(uint32_t ms)
{
  return (clock_time_t)((uint64_t)ms * CLOCK_SECOND / 1000);
}

#endif
