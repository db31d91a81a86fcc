/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in Cooja's order: by time (us), then by insertion. An event stands in
 * the queue at most once. Times may lie before the current one (an rtimer set
 * in the past), then simulated time goes back, as it does in Cooja.
 */
#ifndef EVENT_QUEUE_H
#define EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NOT_QUEUED = -1, IN_LINE = -2 }; /* event.place; 0 and up: place in the heap */

struct event {
  int64_t time;   /* us */
  uint64_t order; /* of insertion */
  int32_t place;
};

struct heap_entry {
  int64_t time;
  uint64_t order;
  struct event *event;
};

struct line_entry {
  uint64_t order; /* differs from the event's if the event was moved meanwhile */
  struct event *event;
};

struct event_queue {
  int64_t now; /* us, time of the event taken last */
  uint64_t inserted;
  struct heap_entry *heap;
  size_t heap_used, heap_size;
  struct line_entry *line; /* first in, first out: a ring of events at line_time */
  size_t line_first, line_used, line_size; /* line_size is a power of 2 */
  int64_t line_time;
};

void queue_init(struct event_queue *queue);
void queue_free(struct event_queue *queue);
void event_init(struct event *event);

/* Inserts the event at `time`; one that is queued already moves there and takes a new place in the order. */
void queue_insert(struct event_queue *queue, struct event *event, int64_t time);

/* A wake-up: ignored if the event is queued for that time or earlier. */
static inline void
queue_wake(struct event_queue *queue, struct event *event, int64_t time)
{
  if(event->place == NOT_QUEUED || event->time > time) {
    queue_insert(queue, event, time);
  }
}

/* Takes the first event and sets `now`; NULL if there is none. */
struct event *queue_take(struct event_queue *queue);

#endif
