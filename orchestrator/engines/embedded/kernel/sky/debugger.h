/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets a debugger look into one emulated mote: a server of gdb's remote serial protocol (GDB's manual, appendix "Remote Serial
 * Protocol"), which lldb speaks, too. While the mote is stopped the whole simulation stands still, as it waits in here.
 *
 * It begins at the mote's first instruction at or after a simulated time: a line of JSON with "report":"stopped" says so, and then it
 * takes one connection of the listening socket. `monitor simulated` prints the mote, the time and the cycle; after `monitor next-tick`
 * the next `continue` ends where the mote wakes from sleep.
 *
 * Registers of peripherals can't be read, since reading changes some of them.
 */
#ifndef DEBUGGER_H
#define DEBUGGER_H

#include "motes/simulation.h"
#include "msp430/msp430.h"

/* Must be called before the motes are made. `listener`: the socket. Returns false if no emulated mote has this id. */
bool debugger_choose(const struct simulation *simulation, int listener, long id, int64_t at_us);

/* Whether a mote is chosen. */
bool debugger_waits_for(const struct mote *mote);

void debugger_attach(struct msp430 *mcu);

/* The chosen mote's board's instruction(). */
void debugger_instruction(void);

/* The chosen mote can't go on; `what` says why. Returns when the debugger continues. */
void debugger_fault(const char *what);

/* The simulation has ended. */
void debugger_ended(bool ok);

#endif
