/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events at a cycle, and events in virtual time, which runs on evenly when the DCO's frequency changes. Two habits of MSPSim
 * decide about order: of events at the same time the one that was queued last runs first, and when the first event of a list is
 * cancelled, the next one may run as early as the cancelled one would have.
 */
#ifndef MSP430_EVENTS_H
#define MSP430_EVENTS_H

#include "msp430/state.h"

/* Takes all out. */
void events_clear(struct msp430 *mcu);

/* Runs at most one event of each list; to be called as long as mcu->next_event isn't in the future. */
void events_run(struct msp430 *mcu);

/* The DCO has another frequency from now on. */
void events_change_frequency(struct msp430 *mcu, int32_t dco_hz, int32_t smclk_hz);

#endif
