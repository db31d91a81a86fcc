/* SPDX-License-Identifier: Apache-2.0 */
/* Light-emitting diodes, by a mask of colours or by number. */
#ifndef LEDS_H_
#define LEDS_H_

#include "contiki.h"

#define LEDS_GREEN LEDS_CONF_GREEN
#define LEDS_RED LEDS_CONF_RED
#define LEDS_YELLOW LEDS_CONF_YELLOW
#define LEDS_BLUE 0   /* there is none */
#define LEDS_ORANGE 0 /* there is none */

#define LEDS_COUNT LEDS_CONF_COUNT
#define LEDS_ALL ((1 << LEDS_COUNT) - 1)

#define LEDS_LED1 0
#define LEDS_LED2 1
#define LEDS_LED3 2
#define LEDS_NUM_TO_MASK(led) (1 << (led))

typedef uint8_t leds_num_t;
typedef uint8_t leds_mask_t;

void leds_init(void);
void leds_on(leds_mask_t leds);
void leds_off(leds_mask_t leds);
void leds_toggle(leds_mask_t leds);
void leds_set(leds_mask_t leds);
leds_mask_t leds_get(void);
void leds_single_on(leds_num_t led);
void leds_single_off(leds_num_t led);
void leds_single_toggle(leds_num_t led);

#endif
