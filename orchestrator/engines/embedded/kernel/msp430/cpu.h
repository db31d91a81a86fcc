/* SPDX-License-Identifier: Apache-2.0 */
/* Runs instructions, and between them interrupts, events and sleep. */
#ifndef MSP430_CPU_H
#define MSP430_CPU_H

#include "msp430/instruction.h"

/* A table of instructions that are decoded when they first run: one for each two bytes of the memory. */
struct instruction *cpu_new_instructions(void);

/* Memory in [begin, end) has changed without the CPU's having written it as RAM. */
void cpu_forget(struct msp430 *mcu, uint32_t begin, uint32_t end);

/* Executes an instruction, after the interrupt that may be due; asleep, passes to the next event, or to `limit` (a cycle) if
   that is earlier. A limit below 0 is none. */
void cpu_step(struct msp430 *mcu, int64_t limit);

/* Does that until the cycle `limit` is reached and, asleep, no event before it is left. */
void cpu_run(struct msp430 *mcu, int64_t limit);

/* The same, but returns false as soon as it sleeps or a pause is wanted; it has begun awake. */
bool cpu_run_to_pause(struct msp430 *mcu, int64_t limit);

/* Executes the instruction before which it has stopped because it is a look at port 1; does nothing if it hasn't. */
void cpu_look(struct msp430 *mcu);

#endif
