/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run without a control node: every mote goes by its own clock from boot. It
 * warms up, the measured time begins, the application does its work for the
 * duration, the network drains, and each mote prints what it counted; then the
 * subscriber says that the run has ended (`!run,end`).
 *
 * Every application that uses this has the fields that TIMED_RUN_OF() names in its
 * EEPROM image, in any place; application.yaml describes the image.
 */
#ifndef TIMED_RUN_H_
#define TIMED_RUN_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub.h"

enum {
  TIMED_RUN_SUBSCRIBER = 1,
  TIMED_RUN_PUBLISHER = 2,
  TIMED_RUN_RELAY = 3
};

struct timed_run {
  uint8_t role;
  uint16_t mote;
  uint16_t parent;     /* next hop towards the subscriber, 0 for none */
  uint8_t index;       /* this mote's publisher index, 0 for none */
  uint8_t publishers_through; /* whose routes pass here, this mote included */
  uint8_t trace;
  uint32_t seed;
  uint32_t duration;   /* ms, as the next two */
  uint32_t drain;
  uint32_t warm_up;    /* from boot to the measured time */
};

extern struct timed_run timed_run;

/* The application's callbacks; each may be NULL. */
struct timed_run_callbacks {
  void (*start)(void); /* the measured time begins: start threads, publish */
  void (*stop)(void);  /* the duration is over: nothing more is published */
  void (*dump)(void);  /* the drain is over: print the application's counters */
};

/* The struct timed_run of an image's fields (struct eeprom_fields). */
#define TIMED_RUN_OF(fields) { \
    .role = (fields).role, .mote = (fields).mote, .parent = (fields).parent, \
    .index = (fields).index, .trace = (fields).trace, .seed = (fields).seed, \
    .publishers_through = (fields).publishers_through, \
    .duration = (fields).duration_ms, .drain = (fields).drain_ms, \
    .warm_up = (fields).warm_up_ms \
  }

/*
 * Prepares this mote with configured routes and these neighbours: their number,
 * and `neighbour`, which returns each. Returns NULL, or the fault of the
 * image.
 */
const char *timed_run_take(const struct timed_run *mote, uint8_t neighbours,
                           uint16_t (*neighbour)(uint8_t i));

/* Starts pubsub with configured routes, and the run. */
void timed_run_begin(const struct timed_run_callbacks *callbacks);

/* Prints that the application can't do its work, because pubsub has no room. */
void timed_run_refused(const char *application);

/* Whether this mote publishes and has no frames of others to forward. */
bool timed_run_only_sends(void);

/*
 * For a thread that does something every `period` us: sleeps until the next of the
 * periods counted from *at, and sets *at to it. Periods that have passed are left
 * out.
 */
void timed_run_sleep(uint32_t *at, uint32_t period);

/*
 * At the subscriber: a subscription's function, with the topic's number, from 0 on,
 * as its context. The records `from` tell how many events arrived, and how often one
 * came again.
 */
#define TIMED_RUN_TOPICS 4
#define TIMED_RUN_PUBLISHERS 32
void timed_run_arrived(const struct pubsub_event *event, uint16_t from, void *context);
void timed_run_dump_arrived(void);

#endif
