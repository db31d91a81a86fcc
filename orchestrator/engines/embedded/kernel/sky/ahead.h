/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Motes run ahead of the others where these can't notice it, nor they the others. What others could notice of it is kept, and
 * done afterwards in order, at its time.
 * - As long as no radio sends or is about to, all run for up to 200 us, each by itself: a mote hears another one 224 us after its
 *   strobe at the earliest (14 symbols).
 * - At any time, one whose radio is off runs by itself until it does something that others notice, or speaks to its radio. What
 *   others send only changes a strength there, of which it can't know before.
 * A radio that is switched off in the middle of a frame goes on to send it, as in MSPSim: its mote waits for the frame's end.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include "motes/simulation.h"
#include "msp430/msp430.h"

/* What can be kept until its time. */
enum deed_kind { DEED_SLEEP, DEED_BYTE, DEED_LINE, DEED_MODE, DEED_CHANNEL, DEED_POWER, DEED_NOTICE, DEED_REFUSAL, DEED_FAULT };

struct deed {
  int64_t time;
  uint32_t rank, number; /* of the mote when it did this; of the deed among all */
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
  int64_t sends_until_us; /* its radio may send a byte before this time even if it is off */
  int64_t last_us;   /* time up to which it has run; -1: it has not */
  int64_t removed_us; /* from the simulation */
  double jump_error; /* us that its clock is behind because only whole ones pass */
  struct deeds own;
  uint32_t rank; /* its place among those that run ahead together */
};

/* Does what was kept; `first` and `second` are its numbers, `text` is a line's or a fault's. */
typedef void awake_do(struct mote *mote, enum deed_kind deed, int first, int second, const char *text, size_t length);

void ahead_init(awake_do *function);

/* The mote that runs ahead now, or NULL. */
const struct awake_mote *ahead_mote(void);

/* Keeps a deed of the mote that runs ahead of the others; returns false if none does, and it has to be done at once. */
bool ahead_keep(enum deed_kind what, int first, int second, const char *text, size_t length);

/* The same for a fault or a refusal, from which the mote doesn't go on. */
void ahead_keep_fault(enum deed_kind what, const char *text, size_t length);

/* Runs a mote from now on until others may notice it, or it would notice the others: up to its last_us, with the deeds of that
   time in its `own`. */
void ahead_run_alone(struct awake_mote *awake, int64_t now);

/* Motes run ahead together: each has its place among them, from 0. */
void ahead_begin(void);
void ahead_place(struct awake_mote *awake, uint32_t place);

/* Runs a mote from `from` to before `end`. Its event isn't queued afterwards if it sleeps. */
void ahead_run(struct awake_mote *awake, int64_t from, int64_t end, struct deeds *deeds);

/* Whether it has woken since. */
bool ahead_woke(const struct awake_mote *awake);

/* Below 0 if the first one of these ranks comes before the second one in each us in which both are awake. */
int ahead_compare(uint32_t first, uint32_t second);

/* Brings all motes' deeds into Cooja's order. */
void ahead_sort(struct deeds *deeds);

/* Does them, each at its time; of what comes after the script's verdict, nothing. */
void ahead_do(struct simulation *simulation, struct deeds *deeds);

#endif
