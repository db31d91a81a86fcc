/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three applications of one mote that need the same temperature:
 *   control  computes on every reading,
 *   watch    on those above a limit,
 * record   on those that differ by more than delta from the one that it computed
 * on last.
 */
#ifndef NEEDS_H_
#define NEEDS_H_

#include <stdbool.h>
#include <stdint.h>

enum { CONTROL, WATCH, RECORD, APPLICATIONS };

struct needs {
  bool blackboard;
  uint32_t period;   /* us, as the next three */
  uint32_t conversion;
  uint32_t work;
  uint32_t deadline; /* of watch; 0: none */
  int32_t limit;     /* hundredths of a degree Celsius */
  int32_t delta;
};

extern struct needs needs;

/* "control", "watch", "record". */
extern const char *const needs_names[APPLICATIONS];

/* Readings that each application computed on here. */
extern uint16_t needs_used[APPLICATIONS];

/* The reading that record computed on last; `any` is false before the first. */
struct recorded {
  bool any;
  int32_t value;
};

/* Whether that application has something to compute on a reading. */
bool needs_it(unsigned application, int32_t reading, struct recorded *last);

/* For an application's thread: compute on a reading that it needs. */
void needs_use(unsigned application);

/* ---- a mote that samples; false: a channel or a subscription was refused ---- */

/* Each application takes readings and reports them, in an event of its own. */
bool alone_init(void);
bool alone_start(void);
void alone_stop(void);

/* One thread takes readings and publishes them on the blackboard, where the
   applications are subscribed; a binding makes each an event. */
bool sharing_init(void);
bool sharing_start(void);
void sharing_stop(void);

/* ---- the subscriber ---- */

/* Subscribes to all that the applications needed. */
bool sink_init(void);

/* Prints how many readings it received for each application, in words. */
void sink_dump(void);

#endif
