/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches the run: signals of crashing motes, the wall-clock limit, and a timer
 * for flushing the log. A fault ends the process with a report that names the mote.
 */
#ifndef WATCH_H
#define WATCH_H

#include "base/text.h"
#include "motes/simulation.h"

#include <setjmp.h>
#include <signal.h>

extern volatile sig_atomic_t watch_wanted; /* watch_attend() has to be called before the next event */
extern struct mote *volatile watch_running; /* the mote whose code runs now, or NULL */

/* Installs the handlers. The run is ended after `limit_s` seconds of real time (0: no limit). */
void watch_start(struct simulation *simulation, double limit_s);

void watch_attend(void);

/* The limit is one of each step's processor time, because that the machine is busy is no mote's fault; watch_step()
   begins a step. */
void watch_steps(void);
void watch_step(void);

/* The script goes on; between two lines it may compute for so long (processor time). */
enum { SCRIPT_STEP_S = 10 };
void watch_script_begins(void);

/* Whether the script computes, and so can be interrupted at any moment. */
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

/* This process has just begun as a copy of another one, whose timer it doesn't have. */
void watch_branch(void);

/* Where a mote's fault leads during an event, if it is not to end the process; then these say whose fault it was, and have
   its report. */
extern sigjmp_buf *watch_escape;
extern struct mote *watch_fallen;
extern struct text watch_fault;

/* Must be called after that. */
void watch_after_escape(void);

/* Ends the run as a crash of this mote, because it left its variables in an impossible state. */
_Noreturn void watch_mote_fault(struct mote *mote, const char *what);

/* The same with the place in its firmware: an address in the file, of the instruction or (`called`) of the call that led from the
   firmware's code to it. Negative: it isn't known. */
_Noreturn void watch_mote_fault_at(struct mote *mote, const char *what, int64_t code, bool called);

/* Called before the report of a run that ends with a fault, or NULL; may be called in a signal handler. */
extern void (*watch_before_fault)(const struct simulation *simulation);

/* Ends the process if some mote wrote past its data; the same run with guards then tells which and where. */
void watch_check_gaps(void);

/* Ends the run because the log has reached its limit; names the mote that printed most. */
_Noreturn void watch_log_full(void);

/* Ends the run because the process that decides about it has gone; the log has everything so far. */
_Noreturn void watch_abandoned(void);

/* Real seconds since watch_start(). */
double watch_elapsed(void);

#endif
