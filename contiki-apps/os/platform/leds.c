/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/leds.h"

#include "platform/mote.h"

leds_mask_t
leds_get(void)
{
  return simLedsValue;
}

void
leds_set(leds_mask_t leds)
{
  simLedsValue = leds & LEDS_ALL;
}
