/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a mote ahead of the others as far as these can't notice it, nor it the others. What others could notice is kept, and done
 * at its time. A mote that has done such a thing runs on only after that.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include "motes/simulation.h"
#include "msp430/msp430.h"
#include "sky/cc2420.h"

/* What can be kept until its time. */
enum deed_kind { DEED_PRINTED, DEED_LINE, DEED_BYTE, DEED_MODE, DEED_CHANNEL, DEED_POWER, DEED_NOTICE, DEED_REFUSAL, DEED_FAULT };

struct deed {
  enum deed_kind what;
  int first, second;
  char *text; /* owned; NULL if there is none */
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
  const struct cc2420 *radio;
  bool booted;
  bool listed; /* it is awake; mote->wakeup says when it runs next, but isn't in the queue */
  bool ahead;  /* it has run up to `next_us`, when `own` is to be done */
  bool begun;  /* of the us at `next_us`, too, it has run a part, */
  bool ended;  /* or all */
  int64_t next_us; /* when it has to run next, or to do something */
  int64_t last_us;    /* the last us in which it has run; -1: it has not */
  int64_t removed_us; /* from the simulation */
  int64_t undisturbed_us; /* if it is last_us, awake_disturb() has no effect until it runs again */
  double jump_error; /* us that its clock is behind because only whole ones pass */
  struct deeds own;
};

/* Does what was kept; `first` and `second` are its numbers, `text` is a line's or a fault's. */
typedef void awake_do(struct mote *mote, enum deed_kind deed, int first, int second, const char *text, size_t length);

void ahead_init(awake_do *function);

/* Keeps a deed of the mote that runs ahead of the others; returns false if none does, and it has to be done at once. */
bool ahead_keep(enum deed_kind what, int first, int second, const char *text, size_t length);

/* The same for a fault or a refusal, from which the mote doesn't go on. */
void ahead_keep_fault(enum deed_kind what, const char *text, size_t length);

/* Can its radio's CCA pin interrupt it? */
bool ahead_can_interrupt(const struct awake_mote *awake);

/* Can nothing that others send be noticed by the mote until its radio is in another state? */
bool ahead_is_alone(const struct awake_mote *awake);

/* May its radio send a byte within 14 symbols from now on? */
bool ahead_sends(const struct awake_mote *awake);

/* Runs a mote that is awake from the beginning of this us on, up to `most` us long, and sets its next_us. */
void ahead_run(struct awake_mote *awake, int64_t now, int64_t most);

/* Does what was kept for the present time. */
void ahead_do(struct awake_mote *awake);

#endif
