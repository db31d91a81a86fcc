/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emulated motes whose CPUs are awake. In Cooja each has an event every us. Here they are in one list, which has one event
 * every us in which one of them has to run.
 *
 * The order of motes in a us is Cooja's. An awake mote keeps its place from us to us. One that a timer wakes had its event in
 * the queue for longer, so it comes before all that are awake; one that is woken from outside comes after them.
 *
 * Motes run ahead of the others where these can't notice it, nor they the others. What others could notice of it is kept, and
 * done afterwards in order, at its time.
 * - As long as no radio sends or is about to, all run for up to 200 us, each by itself: a mote hears another one 224 us after its
 *   strobe at the earliest (14 symbols).
 * - At any time, one whose radio is off runs by itself until it does something that others notice, or speaks to its radio. What
 *   others send only changes a strength there, of which it can't know before.
 */
#ifndef AWAKE_H
#define AWAKE_H

#include "motes/simulation.h"
#include "msp430/msp430.h"

/* What can be kept until its time. */
enum awake_deed { AWAKE_SLEEP, AWAKE_LINE, AWAKE_MODE, AWAKE_CHANNEL, AWAKE_POWER, AWAKE_FAULT };

struct deed {
  int64_t time;
  int64_t woken, slept; /* the mote's, when it did this */
  uint32_t place, number; /* of the mote in the list; of the deed among all */
  struct awake_mote *awake;
  enum awake_deed what;
  int first, second;
  int64_t wake; /* of AWAKE_SLEEP */
  char *text;   /* owned; NULL if there is none */
  size_t length;
};

struct deeds {
  struct deed *each;
  uint32_t count, size;
};

struct awake_mote { /* part of a mote */
  struct simulation *simulation;
  struct mote *mote;
  struct msp430 *mcu;
  bool booted;
  bool deaf;   /* its radio is off */
  bool listed; /* it is awake; mote->wakeup says when it runs next, but isn't in the queue */
  bool ahead;  /* it ran by itself up to `next_us`, when `own` is to be done */
  int64_t next_us; /* when it has to run next, or to do something */
  int64_t last_us;   /* time up to which it has run; -1: it has not */
  double jump_error; /* us that its clock is behind because only whole ones pass */
  struct deeds own;
  /* Of the present run of many us: */
  int64_t woken, slept; /* when it woke last, and when it had gone to sleep before that; -1: it was awake all the time */
};

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
