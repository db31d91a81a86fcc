/* SPDX-License-Identifier: Apache-2.0 */
/* The user's button. All processes get an event when it is pressed and released,
   and another every second while it is held; the button is the data. */
#ifndef BUTTON_HAL_H_
#define BUTTON_HAL_H_

#include "contiki.h"

#define BUTTON_HAL_STATE_RELEASED 0
#define BUTTON_HAL_STATE_PRESSED 1
#define BUTTON_HAL_ID_BUTTON_ZERO 0
#define BUTTON_HAL_ID_USER_BUTTON BUTTON_HAL_ID_BUTTON_ZERO

typedef struct button_hal_button_s {
  struct ctimer duration_ctimer;
  const char *description;
  uint8_t press_duration_seconds;
  uint8_t unique_id;
} button_hal_button_t;

#define BUTTON_HAL_GET_DESCRIPTION(button) ((button)->description)

extern const uint8_t button_hal_button_count;
extern process_event_t button_hal_press_event;
extern process_event_t button_hal_release_event;
extern process_event_t button_hal_periodic_event;

void button_hal_init(void);
button_hal_button_t *button_hal_get_by_id(uint8_t unique_id); /* or NULL */
button_hal_button_t *button_hal_get_by_index(uint8_t index);  /* or NULL */
uint8_t button_hal_get_state(button_hal_button_t *button);

#endif
