/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps simulated time at real time, or a multiple of it. Beats, which are events that change nothing, come every
 * millisecond of real time; at each, the simulation waits until its simulated time is due. So an event happens at most a
 * millisecond too early, and how late beats are is how late events are. Without a limit of speed, beats only say when to look
 * for input.
 */
#ifndef PACE_H
#define PACE_H

#include "base/text.h"
#include "motes/simulation.h"

enum { LATENESS_STEPS = 16, LATENESS_CLASSES = 64 * LATENESS_STEPS };

struct pace {
  struct time_event beat; /* first member */
  /* Looks for input, and waits for it no longer than so many ns. */
  void (*attend)(struct simulation *simulation, int64_t wait_ns);
  double speed;       /* simulated time by real time; 0: no limit */
  int64_t from_us, from_ns; /* a simulated time, and the real time at which it is due */
  int64_t period_us;  /* between beats */
  int64_t beat_ns;    /* real time of the last beat */
  uint64_t beats;     /* at which it was measured how late they are, */
  uint64_t late[LATENESS_CLASSES]; /* by how late (us) */
  int64_t latest_ns, moved_ns; /* the worst, and by how much times were put off, because it was too late to catch up */
  double fastest;     /* the highest limit that was in force */
};

/* Begins with the next event. */
void pace_start(struct simulation *simulation, struct pace *pace);

void pace_set(struct simulation *simulation, struct pace *pace, double speed);

void pace_report(const struct pace *pace, struct text *json);

#endif
