/* SPDX-License-Identifier: Apache-2.0 */
/* A mote's button, pressed and released by a script, and its sensors, triggered. */
#ifndef DEVICES_H
#define DEVICES_H

#include "motes/simulation.h"

enum { CLICK_US = 1000, CLICK_2026_07_US = 250 * 1000 }; /* from a click's press to its release, in the two rule sets */

/* Takes effect in `delay_us`. */
void device_button(struct simulation *simulation, struct mote *mote, bool down, int64_t delay_us);

/* Triggers the passive infrared or the vibration sensor at once. */
void device_sensor(struct simulation *simulation, struct mote *mote, const char *active, const char *changed);

bool device_button_is_down(struct mote *mote);

#endif
