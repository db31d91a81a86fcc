/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/button-hal.h"

#include "platform/mote.h"

process_event_t button_hal_press_event;
process_event_t button_hal_release_event;
process_event_t button_hal_periodic_event;

const uint8_t button_hal_button_count = 1;

static button_hal_button_t button = {
  .description = "User button", .unique_id = BUTTON_HAL_ID_USER_BUTTON
};
static uint8_t told_state;

PROCESS(button_hal_process, "Button");

button_hal_button_t *
button_hal_get_by_id(uint8_t unique_id)
{
  return unique_id == button.unique_id ? &button : NULL;
}

button_hal_button_t *
button_hal_get_by_index(uint8_t index)
{
  return index == 0 ? &button : NULL;
}

uint8_t
button_hal_get_state(button_hal_button_t *which)
{
  (void)which;
  return simButtonIsDown ? BUTTON_HAL_STATE_PRESSED : BUTTON_HAL_STATE_RELEASED;
}

void
button_hal_init(void)
{
  button_hal_press_event = process_alloc_event();
  button_hal_release_event = process_alloc_event();
  button_hal_periodic_event = process_alloc_event();
  process_start(&button_hal_process, NULL);
}

/* Called by the tick. */
void
mote_button_changed(void)
{
  simButtonChanged = 0;
  process_poll(&button_hal_process);
}

static void
held_a_second(void *unused)
{
  (void)unused;
  button.press_duration_seconds++;
  process_post(PROCESS_BROADCAST, button_hal_periodic_event, &button);
  ctimer_reset(&button.duration_ctimer);
}

static void
tell_change(void)
{
  uint8_t state = button_hal_get_state(&button);

  if(state == told_state) {
    return;
  }
  told_state = state;
  if(state == BUTTON_HAL_STATE_PRESSED) {
    button.press_duration_seconds = 0;
    ctimer_set(&button.duration_ctimer, CLOCK_SECOND, held_a_second, NULL);
    process_post(PROCESS_BROADCAST, button_hal_press_event, &button);
  } else {
    ctimer_stop(&button.duration_ctimer);
    process_post(PROCESS_BROADCAST, button_hal_release_event, &button);
  }
}

PROCESS_THREAD(button_hal_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL);
    tell_change();
  }
  PROCESS_END();
}
