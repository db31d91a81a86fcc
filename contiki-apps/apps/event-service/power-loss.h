/* SPDX-License-Identifier: Apache-2.0 */
/* The power of a mote fails, for a while or for good. What it measures outlives that. */
#ifndef POWER_LOSS_H_
#define POWER_LOSS_H_

#include <stdint.h>

/*
 * After `after_ms` the radio is off and the event service stops, as does its serial line.
 * `away_ms` later `boot` is called, which starts it anew; with 0 it is `last_words`, at once.
 */
void power_loss_plan(uint32_t after_ms, uint32_t away_ms, void (*boot)(void),
                     void (*last_words)(void));

#endif
