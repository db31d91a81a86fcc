/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emulated motes whose CPUs are awake. In Cooja each has an event every us. Here they are in one list, which has one event
 * every us, or, as long as nothing can come from outside, one every so many us.
 *
 * The order of motes in a us is Cooja's. An awake mote keeps its place from us to us. One that a timer wakes had its event in
 * the queue for longer, so it comes before all that are awake; one that is woken from outside comes after them.
 *
 * Runs of many us: a mote hears another one 224 us after its strobe at the earliest (14 symbols), so as long as no radio sends
 * or is about to, each mote runs on its own for up to 200 us. What others could notice of it is kept, and done afterwards in
 * order, at its time.
 */
#ifndef AWAKE_H
#define AWAKE_H

#include "motes/simulation.h"
#include "msp430/msp430.h"

struct awake_mote { /* part of a mote */
  struct simulation *simulation;
  struct mote *mote;
  struct msp430 *mcu;
  bool booted;
  bool listed; /* it is awake; mote->wakeup says when it runs next, but isn't in the queue */
  int64_t last_us;   /* time up to which it has run; -1: it has not */
  double jump_error; /* us that its clock is behind because only whole ones pass */
  /* Of the present run of many us: */
  int64_t woken, slept; /* when it woke last, and when it had gone to sleep before that; -1: it was awake all the time */
};

/* What can be kept until its time. */
enum awake_deed { AWAKE_SLEEP, AWAKE_LINE, AWAKE_MODE, AWAKE_CHANNEL, AWAKE_POWER, AWAKE_FAULT };

/* Does what was kept; `first` and `second` are its numbers, `text` is a line's or a fault's. */
typedef void awake_do(struct mote *mote, enum awake_deed deed, int first, int second, const char *text, size_t length);

/* Must be called before the simulation runs. `every_slice`: keep no list, but have an event every us for each mote, as Cooja. */
void awake_init(struct simulation *simulation, bool every_slice, awake_do *function);

/* The mote's event has come, or it has to run up to the present time (duration 0). */
void awake_run(struct awake_mote *awake, int64_t duration_us);

/* It isn't in the simulation any more. */
void awake_leave(struct awake_mote *awake);

/* Keeps a deed of the mote that runs ahead of the others; returns false if none does, and it has to be done at once. */
bool awake_keep(enum awake_deed deed, int first, int second, const char *text, size_t length);

/* The same for a fault, from which the mote doesn't go on. */
void awake_keep_fault(const char *text, size_t length);

/* A radio begins or ceases to send, or to prepare for it. */
void awake_count_sender(int change);

/* A radio has sent a byte, and the next one may follow although it was switched off. */
void awake_note_byte(struct simulation *simulation);

#endif
