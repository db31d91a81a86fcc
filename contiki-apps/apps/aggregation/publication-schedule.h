/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times of publications: a pure function of the experiment's parameters.
 *
 * Rounds come at intervals common to all publishers, drawn from (rate, seed)
 * only; each publisher adds a jitter drawn from (seed, publisher, round) only.
 * So one rate and seed have the same schedule in every configuration: with and
 * without aggregation, for 5 and for 10 publishers, in any geometry. The delay
 * of D adds publisher * delay step on top.
 *
 * Because it is a function, the schedule is not sent: the subscriber computes
 * when an event was published, and measures delivery delays without a time stamp
 * that would make frames longer than the paper's.
 *
 * Times are in ms after the start of the run; round 1 is at 0. A publisher's
 * events are numbered by their rounds.
 */
#ifndef PUBLICATION_SCHEDULE_H_
#define PUBLICATION_SCHEDULE_H_

#include <stdbool.h>
#include <stdint.h>

enum publication_rate {
  RATE_HIGH = 1,
  RATE_LOW = 2
};

struct publication_parameters {
  uint8_t rate;
  uint32_t seed;
  uint32_t interval_min; /* ms; between two rounds, uniform, both included; */
  uint32_t interval_max; /* equal: no draw */
  uint32_t jitter;       /* ms; uniform in [0, jitter); 0: none */
  uint32_t delay_step;   /* ms per publisher index; 0: none */
  uint32_t duration;     /* ms; rounds begin before this */
  uint8_t last_first;    /* 0, or the number of publishers: then delay steps
                            count from the last publisher instead of the first */
};

/* The position of one publisher in its schedule. */
struct publication {
  uint8_t publisher;
  uint16_t round;      /* 0 before the first */
  uint32_t round_time; /* of the round, common to all */
  uint32_t time;       /* of this publisher's publication */
};

void publication_begin(struct publication *publication, uint8_t publisher);

/* Goes on to the next round. Returns false if there is none within the
   duration. */
bool publication_next(struct publication *publication,
                      const struct publication_parameters *parameters);

/* Goes to that round, forwards or backwards. Returns false if the schedule
   doesn't have it. */
bool publication_seek(struct publication *publication, uint16_t round,
                      const struct publication_parameters *parameters);

/* The random value a publisher's pseudo sensor reads in a round. */
int16_t publication_value(const struct publication *publication,
                          const struct publication_parameters *parameters);

#endif
