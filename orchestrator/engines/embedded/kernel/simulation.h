/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "event_queue.h"
#include "java_random.h"
#include "log.h"
#include "medium.h"
#include "mote.h"

/* The script that runs natively: log every line, end at a time or at a line with a verdict. */
struct script {
  int64_t timeout_us;
  bool aside;      /* one that can't act on the simulation, only log and decide: it gets many lines at once */
  int64_t decided_us; /* at which line it did so; -1: now */
  int64_t due_us;  /* when it gets those that wait, at the latest */
  bool javascript; /* another one, in a process of its own (javascript.h): of this only the time-out and the verdict */
  char *success, *fail; /* part of a line, or NULL */
  bool verdict_at_timeout; /* false: Cooja's plain script, which fails at its time-out */
  bool ends_at_verdict;    /* with the first line that has either part */
  bool succeeded, failed;
};

/* An event that isn't a mote's wake-up. */
struct happening {
  struct event event; /* first member */
  void (*happen)(struct simulation *simulation, struct happening *happening);
};

struct mobility { /* of one plugin */
  struct happening happening; /* first member */
  struct move *moves;
  uint32_t count, next;
  int64_t start; /* us, when the file began last */
};

struct request;

struct simulation {
  int64_t seed;
  int32_t start_delay_us; /* motes start within this time */
  struct event_queue queue;
  struct java_random random;
  struct medium medium;
  struct script script;
  struct log log;
  struct mote_type *types;
  uint32_t type_count;
  struct mote *motes;
  uint32_t mote_count, mote_room; /* the script may generate more, up to the room */
  uint32_t *present, present_count; /* motes that are there now, in the order in which they came */
  struct request *requests, *last_request; /* of the script (after_event.h) */
  struct mobility *mobility;
  uint32_t mobility_count;
  struct event timeout;
  bool every_tick; /* skip none (idle.h): to compare */
  bool many_texts; /* one a mote even where one for all would do: to compare */
  bool guards;     /* what runs past a mote's data is stopped there, not found out later (firmware.h) */
  uint64_t events, lines;
  uint64_t ran, skipped, heard; /* ticks that ran, didn't have to, and those of them that weren't even events */
};

/* The event is not queued. */
void happening_insert(struct simulation *simulation, struct happening *happening,
                      void (*happen)(struct simulation *simulation, struct happening *happening), int64_t time);

/* Loads all firmware and creates the motes. */
void simulation_prepare(struct simulation *simulation);

/* Ends the process if some mote wrote past its data: the same run with guards tells which and where. */
void simulation_check_gaps(const struct simulation *simulation);

/* Runs to the script's end; true if the verdict is OK. Not part of main(), which compilers make small, not fast. */
bool simulation_run(struct simulation *simulation) __attribute__((hot, noinline));

#endif
