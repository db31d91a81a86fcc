/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "base/java_random.h"
#include "base/log.h"
#include "events/event_queue.h"
#include "motes/mote.h"
#include "radio/medium.h"

struct program;

struct script {
  struct program *program; /* one that runs natively (program.h); NULL: it runs in a process of its own (javascript.h) */
  int64_t timeout_us;
  bool acts;       /* on the simulation */
  bool aside;      /* in its process, one that doesn't, only logs and decides: it gets many lines at once */
  int64_t decided_us; /* at which line it did so; -1: now */
  int64_t due_us;  /* when it gets those that wait, at the latest */
  bool failed; /* the verdict */
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
  struct request *requests, *last_request; /* of the script (requests.h) */
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
