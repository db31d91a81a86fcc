/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run time of static real-time data distribution (Uvarov, DiPippo, Fay-Wolfe et al. 2004, section 5.2):
 * the tasks of one node of a system run as threads with the priorities that the analysis gave them, and an
 * event channel passes values from suppliers to consumers, by proxies between nodes.
 *
 * The node's table comes from the tool (`orchestrate distribution schedule --table` shows it). Task numbers
 * are those of the whole system; times are in us. The reference time is the clock of the system's first node
 * (distribution-clock.h); the system begins at `distribution_start`.
 */
#ifndef DISTRIBUTION_H_
#define DISTRIBUTION_H_

#include <stdbool.h>
#include <stdint.h>
#include "distribution-conf.h"
#include "thread.h"

enum distribution_kind {
  DISTRIBUTION_SOURCE = 1, /* updates an object's value */
  DISTRIBUTION_STEP,       /* a supplier, an event channel, a consumer: passes values on */
  DISTRIBUTION_LAST,       /* the same, and the value is then where targets read it */
  DISTRIBUTION_TARGET,     /* reads the newest value */
  DISTRIBUTION_LOAD        /* only computes */
};

struct distribution_task {
  const char *name;
  uint8_t number;          /* 1 to 255 */
  uint8_t kind;            /* enum distribution_kind */
  uint8_t priority;        /* larger is more urgent */
  uint8_t source;          /* of a step that time releases: whose newest value it takes; else 0 */
  uint32_t period;
  uint32_t release;        /* from the start of the period; of a step: its path's */
  uint32_t deadline;       /* from the release */
  uint32_t execution;      /* at worst */
  uint32_t validity;       /* of what a target reads */
};

/* A proxy: when task `from` has ended, its value goes to task `to`. */
struct distribution_link {
  uint8_t from;
  uint8_t to;
  uint8_t priority;        /* of the transmission, larger is more urgent */
  uint8_t node;            /* where `to` runs, from 0 on */
};

/* A distributed value. `error`: the largest error of the stamp. */
struct distribution_value {
  bool known;
  uint16_t job;            /* number of the path's job that carries it, its low 16 bits */
  uint32_t stamp;          /* when it was updated, reference time */
  uint32_t error;
};

/* Counted in the log's records `cnt`. */
#define DISTRIBUTION_COUNTERS(X) \
  X(values_sent) \
  X(values_received) \
  X(values_malformed) \
  X(channel_full) \
  X(reads_without_data) \
  X(clock_exchanges) \
  X(clock_error_us) \
  X(clock_steps)

struct distribution_counters {
#define DISTRIBUTION_COUNTER_FIELD(name) uint32_t name;
  DISTRIBUTION_COUNTERS(DISTRIBUTION_COUNTER_FIELD)
#undef DISTRIBUTION_COUNTER_FIELD
};

extern struct distribution_counters distribution_counters;

/* The stack of a task, bytes. */
#ifdef __MSP430__ /* 312 bytes were used, by a step that sends and logs */
#define DISTRIBUTION_STACK THREAD_STACK_SIZE(384)
#else
#define DISTRIBUTION_STACK THREAD_STACK_SIZE(256)
#endif

/* The node and its table; what the pointers point to must stay. */
struct distribution_node {
  uint8_t node;                    /* from 0 on; 0 has the reference time */
  uint8_t motes_count;
  const uint16_t *motes;           /* the mote of each node */
  uint8_t tasks_count;
  const struct distribution_task *tasks;
  uint8_t links_count;
  const struct distribution_link *links;
  bool radio;                      /* values go over the radio; else over the serial line */
  uint32_t least;                  /* the shortest time of a transmission */
  uint8_t shortest;                /* an execution takes this share of its worst case or more, per cent */
  uint32_t seed;                   /* of the executions */
  struct thread *threads;          /* one for each task, and their stacks */
  uint8_t (*stacks)[DISTRIBUTION_STACK];
};

extern struct distribution_node distribution_node;

/* Takes the node's part and starts to align its clock. */
void distribution_init(const struct distribution_node *node);

/* Runs the tasks: the system begins at that reference time, and no job is released `duration` us later. */
void distribution_run(uint32_t start, uint32_t duration);

/* Ends all tasks. */
void distribution_stop(void);

#endif
