/* SPDX-License-Identifier: Apache-2.0 */
/* An event that calls a function. (Most events are wake-ups of motes, which need none.) */
#ifndef TIME_EVENT_H
#define TIME_EVENT_H

#include "events/event_queue.h"

struct simulation;
struct time_event;

typedef void time_event_function(struct simulation *simulation, struct time_event *event);

struct time_event {
  struct event event; /* first member */
  time_event_function *execute;
};

/* Requires that the event is not queued. */
static inline void
time_event_insert(struct event_queue *queue, struct time_event *event, time_event_function *execute, int64_t time)
{
  event_init(&event->event);
  event->execute = execute;
  queue_insert(queue, &event->event, time);
}

#endif
