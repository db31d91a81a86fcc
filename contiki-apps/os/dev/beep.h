/* SPDX-License-Identifier: Apache-2.0 */
/* The beeper. Cooja knows only that it beeped. */
#ifndef BEEP_H_
#define BEEP_H_

#include "sys/clock.h"

void beep(void);
void beep_beep(int length);
void beep_long(clock_time_t length);

#endif
