/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a control node runs an experiment (5.2.1 of the aggregation paper: it "is
 * used to initialize and verify the topology at the beginning and controls the
 * tests"; no event is ever routed through it). It initialises the motes, which
 * wait for that; has every publisher send a probe along its configured route to
 * the subscriber, which confirms it; then starts the run everywhere at the same
 * time: one that is set beforehand, so that the run's end is known, or the first
 * that it can. None of this traffic falls into the measured time.
 *
 * Commands go from the control node down the configured topology: every mote
 * that hears a new one from the control node or its parent passes it on to its
 * children, so that a chain longer than the radio range works as well. At first
 * each frame is sent once; if a probe doesn't get through, it is tried again
 * with every frame sent three times.
 */
#ifndef RUN_CONTROL_H_
#define RUN_CONTROL_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-clock.h"
#include "pubsub-frames.h"
#include "start-time.h"

/* Frame types of the routing layer. */
enum {
  RUN_COMMAND = PUBSUB_FRAME_COMMAND, /* control node -> all */
  RUN_PROBE = PUBSUB_FRAME_PROBE, /* publisher -> subscriber, hop by hop */
  RUN_CONFIRM = PUBSUB_FRAME_CONFIRMATION /* subscriber -> control node */
};

enum run_command_code {
  RUN_INITIALISE = 1,
  RUN_VERIFY = 2, /* target: the publisher to send a probe */
  RUN_START = 3
};

/* This mote's place in the configured topology. */
struct run_place {
  uint16_t self;
  uint16_t parent;     /* next hop towards the subscriber, 0 for none */
  uint16_t control;    /* the control node's id */
  uint16_t subscriber; /* the subscriber's id */
  uint8_t publisher;   /* this mote's publisher index, 0 for none */
  uint8_t publishers;  /* in the network */
  uint32_t begins;     /* ms from the control node's boot to the start; 0: as
                          soon as all routes are verified */
};

/* The steps of the run; each is called once, in this order. */
struct run_callbacks {
  void (*initialise)(void);
  void (*start)(uint32_t at); /* ms, run_now(): the start, which is now */
};

/* Takes part and waits for the control node. `place` and `callbacks` stay in
   use. */
void run_participant_init(const struct run_place *place,
                          const struct run_callbacks *callbacks);

/* Acts as the control node. `verified` is told the publishers whose route could
   not be confirmed in time; unless that is 0 the run isn't started. */
void run_director_init(const struct run_place *place,
                       const struct run_callbacks *callbacks,
                       void (*verified)(uint8_t unverified));

/* The start as far as a participant knows it; `known` is false at first. */
const struct start_time *run_start_time(void);

/* ms since this mote's boot, 32 bit. */
uint32_t run_now(void);

/* Clock ticks until then; 0 if it has passed. */
clock_time_t run_ticks_until(uint32_t at);

#endif
