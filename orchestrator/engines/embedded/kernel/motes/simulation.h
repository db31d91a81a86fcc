/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "base/java_random.h"
#include "base/log.h"
#include "events/time_event.h"
#include "motes/mote.h"

struct medium;
struct mobility;
struct outside;
struct request;
struct script;

/* The state that all parts see. State of one part only is in that part's own structure, to which this one points. */
struct simulation {
  int64_t seed;
  int32_t start_delay_us; /* motes start within this time */
  struct event_queue queue;
  struct java_random random;
  struct medium *medium; /* radio/medium.h */
  struct script *script; /* script/script.h */
  /* Called with each line that a mote prints, and with each that a script generates. */
  void (*line)(struct simulation *simulation, struct mote *mote, const char *text, size_t length);
  /* Called with all bytes that a mote printed in a tick, before their lines; NULL: nobody wants them. */
  void (*printed)(struct simulation *simulation, struct mote *mote, const uint8_t *bytes, size_t length);
  /* Called with each frame that a mote began to send at this time (us); of an emulated radio, at the frame's end, as it isn't
     known before. NULL: nobody wants them. */
  void (*sent)(struct simulation *simulation, struct mote *mote, int64_t began, const struct packet *packet);
  /* Called in place of the process's end when a mote's code crashes, hangs or leaves its variables in an impossible state:
     nothing of it may run any more. `report` is a line of JSON (base/report.h). NULL: that ends the process. */
  void (*fell)(struct simulation *simulation, struct mote *mote, const char *report, size_t length);
  bool script_acts; /* the script acts on the simulation */
  bool due; /* the process that drives it gets control when the event that runs now is over */
  struct log log;
  struct mote_type *types;
  uint32_t type_count, type_capacity; /* more may be added while it is driven, up to the capacity */
  struct mote *motes;
  uint32_t mote_count, mote_capacity; /* the script may generate more, up to the capacity */
  uint32_t *present, present_count; /* the motes in the simulation now, in the order in which they were added */
  struct request *requests, *last_request; /* of the script (operation/requests.h) */
  struct mobility *mobility; /* operation/mobility.h */
  uint32_t mobility_count;
  struct outside *outside; /* outside/outside.h; NULL: nothing outside matters */
  struct event timeout;
  bool has_power_tracker; /* observation/power_tracker.h */
  bool every_tick; /* skip no tick (ticks/idle.h), for comparison */
  bool code_per_mote; /* give every mote a copy of the code even if they could share one, for comparison */
  bool counts_cycles; /* of emulated motes, by instruction */
  bool guards;     /* stop accesses beyond a mote's data at once instead of noticing them later (loader/placement.h) */
  uint64_t events, lines;
  uint64_t ran, skipped, heard; /* ticks that ran, that were skipped, and those of the skipped that needed no event */
};

/* A mote prints a line. The script gets it once for each time that the mote was added. */
static inline void
mote_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  simulation->lines++;
  for(unsigned i = 0; i < mote->added; i++) {
    simulation->line(simulation, mote, text, length);
  }
}

#endif
