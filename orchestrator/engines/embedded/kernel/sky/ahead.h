/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Motes run ahead of the others where these can't notice it, nor they the others. What others could notice of it is kept, and
 * done afterwards in order, at its time.
 * - As long as no radio sends or is about to, all run for up to 200 us, each by itself: a mote hears another one 224 us after its
 *   strobe at the earliest (14 symbols).
 * - At any time, one whose radio is off runs by itself until it does something that others notice, or speaks to its radio. What
 *   others send only changes a strength there, of which it can't know before.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include "motes/simulation.h"
#include "msp430/msp430.h"

/* What can be kept until its time. */
enum deed_kind { DEED_SLEEP, DEED_LINE, DEED_MODE, DEED_CHANNEL, DEED_POWER, DEED_FAULT };

struct deed {
  int64_t time;
  int64_t woken, slept; /* the mote's, when it did this */
  uint32_t place, number; /* of the mote in the list; of the deed among all */
  struct awake_mote *awake;
  enum deed_kind what;
  int first, second;
  int64_t wake; /* of DEED_SLEEP */
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
typedef void awake_do(struct mote *mote, enum deed_kind deed, int first, int second, const char *text, size_t length);

void ahead_init(awake_do *function);

/* The mote that runs ahead now, or NULL. */
const struct awake_mote *ahead_mote(void);

/* Keeps a deed of the mote that runs ahead of the others; returns false if none does, and it has to be done at once. */
bool ahead_keep(enum deed_kind what, int first, int second, const char *text, size_t length);

/* The same for a fault, from which the mote doesn't go on. */
void ahead_keep_fault(const char *text, size_t length);

/* Runs a mote from now on until others may notice it, or it would notice the others: up to its last_us, with the deeds of that
   time in its `own`. */
void ahead_run_alone(struct awake_mote *awake, int64_t now);

/* Runs a mote, at this place among the others, from `from` to before `end`. Its event isn't queued afterwards if it sleeps. */
void ahead_run(struct awake_mote *awake, uint32_t place, int64_t from, int64_t end, struct deeds *deeds);

/* Brings all motes' deeds into Cooja's order. */
void ahead_sort(struct deeds *deeds);

/* Does them, each at its time; of what comes after the script's verdict, nothing. */
void ahead_do(struct simulation *simulation, struct deeds *deeds);

#endif
