/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "base/java_random.h"
#include "base/log.h"
#include "events/time_event.h"
#include "motes/mote.h"

struct medium;
struct mobility;
struct request;
struct script;

/* What all parts see. What only one part works on is that part's own structure, which stands here by its address. */
struct simulation {
  int64_t seed;
  int32_t start_delay_us; /* motes start within this time */
  struct event_queue queue;
  struct java_random random;
  struct medium *medium; /* radio/medium.h */
  struct script *script; /* script/script.h */
  /* Called with each line that a mote prints, and with each that a script generates. */
  void (*line)(struct simulation *simulation, struct mote *mote, const char *text, size_t length);
  bool script_acts; /* the script acts on the simulation */
  struct log log;
  struct mote_type *types;
  uint32_t type_count;
  struct mote *motes;
  uint32_t mote_count, mote_capacity; /* the script may generate more, up to the capacity */
  uint32_t *present, present_count; /* motes that are there now, in the order in which they came */
  struct request *requests, *last_request; /* of the script (operation/requests.h) */
  struct mobility *mobility; /* operation/mobility.h */
  uint32_t mobility_count;
  struct event timeout;
  bool every_tick; /* skip none (ticks/idle.h): to compare */
  bool code_per_mote; /* every mote gets a copy of the code, even where one for all would do: to compare */
  bool guards;     /* what runs past a mote's data is stopped there, not found out later (loader/placement.h) */
  uint64_t events, lines;
  uint64_t ran, skipped, heard; /* ticks that ran, didn't have to, and those of them that weren't even events */
};

#endif
