/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which interrupt is next. A source stays flagged until its peripheral takes it back; another interrupt is serviced only after
 * RETI, or when the handler sets GIE. Number 15 is the reset, which GIE doesn't hold back.
 */
#ifndef MSP430_INTERRUPTS_H
#define MSP430_INTERRUPTS_H

#include "msp430/state.h"

void interrupt_flag(struct msp430 *mcu, int number, struct interrupt_source *source, bool on);

/* Finds the highest one that is flagged. */
void interrupts_evaluate(struct msp430 *mcu);

/* After RETI, or GIE being set in a handler. */
void interrupts_end_service(struct msp430 *mcu);

/* Does the CPU service one before its next instruction? */
static inline bool
is_interrupted(const struct msp430 *mcu)
{
  return mcu->interrupts_on && mcu->serviced_interrupt == NO_INTERRUPT && mcu->highest_interrupt >= 0;
}

/* Works out mcu->attention; to be called after any change of what it depends on. */
void interrupts_attend(struct msp430 *mcu);

/* Writes the status register, with what its bits do. */
void status_write(struct msp430 *mcu, uint32_t value);

/* Writes any register as MSPSim does: 20 bits, PC even. */
void register_write(struct msp430 *mcu, unsigned number, uint32_t value);

#endif
