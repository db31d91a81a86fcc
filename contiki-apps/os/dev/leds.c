/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/leds.h"

void
leds_init(void)
{
  leds_set(0);
}

void
leds_on(leds_mask_t leds)
{
  leds_set(leds_get() | leds);
}

void
leds_off(leds_mask_t leds)
{
  leds_set(leds_get() & (leds_mask_t)~leds);
}

void
leds_toggle(leds_mask_t leds)
{
  leds_set(leds_get() ^ leds);
}

static leds_mask_t
mask(leds_num_t led)
{
  return led < LEDS_COUNT ? (leds_mask_t)LEDS_NUM_TO_MASK(led) : 0;
}

void
leds_single_on(leds_num_t led)
{
  leds_on(mask(led));
}

void
leds_single_off(leds_num_t led)
{
  leds_off(mask(led));
}

void
leds_single_toggle(leds_num_t led)
{
  leds_toggle(mask(led));
}
