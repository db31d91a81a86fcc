/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregation as a channel attribute (Schiefer, Steup and Kaiser 2013, sections
 * 4 and 5.2.2): the routing layer hands every aggregatable event of the topic to
 * the merge function, a node's own events included. Each merge function has a
 * buffer of its own for one event, individual or aggregated, which is forwarded
 *
 *   timeout    when it has been stored for the time-out,
 *   full       when it holds as many publishers as can pass here,
 *   contained  when an event arrives from a publisher it already holds: the
 *              stored one goes, the new one stays,
 *   frame      when it cannot take another event in one frame.
 *
 *   static struct merge_attribute mean;
 *   merge_attribute_init(&mean, &merge_mean_function, publishers_through);
 *   channel = pubsub_announce(subject, &mean.attribute);
 */
#ifndef MERGE_FUNCTION_H_
#define MERGE_FUNCTION_H_

#include "contiki.h"
#include "sys/ctimer.h"
#include "pubsub.h"

/* Time-out unless set otherwise (5.2.2: "after five seconds"). */
#ifdef MERGE_CONF_TIMEOUT
#define MERGE_TIMEOUT MERGE_CONF_TIMEOUT
#else
#define MERGE_TIMEOUT (5 * CLOCK_SECOND)
#endif

struct merge_attribute;

/* Implemented by the application. */
struct merge_function {
  /*
   * Merges the data of `arrived` into that of `state->stored`; the lists of
   * contributors are still separate and tell the weights. It may change the
   * time-out. It returns false if the two can't be merged: the stored event is
   * unchanged, and `arrived` is forwarded as it is. The same happens, counted as
   * merges_undone, if it changes anything but that data, or leaves data of
   * another length than data_size or that don't fit a frame.
   */
  bool (*merge)(struct merge_attribute *state,
                const struct pubsub_event *arrived);
  /* Whether the stored event is to be forwarded now. NULL: when it holds
     `full_at`. */
  bool (*full)(const struct merge_attribute *state);
  /*
   * The time-out has passed. 0 forwards the stored event, else it is held for
   * that many clock ticks more. NULL: forward.
   */
  clock_time_t (*timed_out)(struct merge_attribute *state);
  /* Octets of data in the events that it merges; others pass. 0: any length. */
  uint8_t data_size;
};

struct merge_attribute {
  struct pubsub_attribute attribute;
  struct pubsub_interceptor interceptor;
  const struct merge_function *function;
  clock_time_t timeout; /* of the next event to be stored, clock ticks */
  uint8_t full_at;      /* publishers of a full aggregate, 0: never full */
  bool holds;           /* whether `stored` holds one */
  struct ctimer timer;
  struct pubsub_event stored;
};

/* Prepare an attribute for a channel, with the default time-out. */
void merge_attribute_init(struct merge_attribute *state,
                          const struct merge_function *function,
                          uint8_t full_at);

/*
 * Change the time-out, from the merge function or from outside; counts from
 * now for an event that is stored. 0 forwards it at the next tick.
 */
void merge_set_timeout(struct merge_attribute *state, clock_time_t timeout);

/*
 * The stored event is forwarded after that time, if not sooner; later ones have
 * the time-out as before. For merge functions, while an event is stored.
 */
void merge_wait_at_most(struct merge_attribute *state, clock_time_t time);

/* The number of individual events that wait in the buffer. */
uint8_t merge_pending(const struct merge_attribute *state);

#endif
