/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches over the run: signals of a crashing mote, the wall-clock limit, and a
 * timer that asks for the log to be flushed. What it finds ends the process with
 * a report that names the mote.
 */
#ifndef WATCH_H
#define WATCH_H

#include "motes/simulation.h"

#include <signal.h>

extern volatile sig_atomic_t watch_wanted; /* watch_attend() is to be called between two events */
extern struct mote *volatile watch_running; /* the mote whose code runs now, or NULL */

/* Installs the handlers. `limit_s` real seconds from now the run ends (0: no limit). */
void watch_start(struct simulation *simulation, double limit_s);

void watch_attend(void);

/* Whether the simulation stands still because the script has not waited for a line yet. */
void watch_script(bool computes);

static inline void
watch_enter(struct mote *mote)
{
  watch_running = mote;
}

static inline void
watch_leave(void)
{
  watch_running = NULL;
}

/* The mote left its variables in a state that can't be. Ends the run as a crash of that mote. */
_Noreturn void watch_mote_fault(struct mote *mote, const char *what);

/* Ends the process if some mote wrote past its data: the same run with guards tells which and where. */
void watch_check_gaps(void);

/* The log has reached its limit: ends the run with the mote that printed most. */
_Noreturn void watch_log_full(void);

/* Real seconds since watch_start(). */
double watch_elapsed(void);

#endif
