/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in Cooja's order: by time (us), then by insertion. An event stands in
 * the queue at most once. Times may lie before the current one (an rtimer set
 * in the past), then simulated time goes back, as it does in Cooja.
 *
 * A timing wheel of several levels (Varghese and Lauck, Hashed and Hierarchical
 * Timing Wheels, 1987): an event lies on the level of the highest byte in which
 * its time differs from the wheel's, under the value of that byte. What an
 * insertion or removal costs doesn't depend on how many events there are.
 *
 * The events that are due stand in an array; most are motes woken by others at
 * the present time. Most of those motes waited for a timer, and wait for it
 * again afterwards: so a woken event keeps its place on the wheel, which doesn't
 * count until the event is inserted at that time again. A place that the wheel
 * reaches first goes. Places at one time are in no order: when the wheel reaches
 * them, their events are put in that of their insertion.
 */
#ifndef EVENT_QUEUE_H
#define EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEVELS = 8, SLOTS = 256, WORDS = SLOTS / 64 };

struct event {
  int64_t time;       /* us, if it is queued */
  int64_t place_time; /* us, of its place on the wheel; INT64_MIN: it has none */
  uint64_t order;     /* of its insertion */
  struct event *next, *previous; /* at its place */
  uint32_t place; /* level * SLOTS + slot */
  uint32_t due;   /* 0, or its number in the array of those that are due, from 1: its place doesn't count then */
  bool queued;
};

struct event_list {
  struct event *first, *last;
};

struct event_queue {
  int64_t now; /* us, time of the event taken last */
  uint64_t order; /* of the next insertion */
  uint64_t renewed; /* events whose order is one after this event's insertions */
  uint64_t steps; /* work done: insertions and places looked at */
  int64_t wheel_time; /* us; no event on the wheel is at that time or earlier */
  struct event **due; /* at wheel_time or earlier, in order; NULL where one was withdrawn */
  uint32_t taken, count, capacity; /* of those: so many are taken, there, can be there */
  struct event_list slots[LEVELS * SLOTS];
  uint64_t used[LEVELS][WORDS]; /* slots that have events */
  uint32_t used_levels;
};

void queue_init(struct event_queue *queue);
void event_init(struct event *event);

/* Parts of queue_insert() that are seldom needed. */
void queue_place(struct event_queue *queue, struct event *event);
void queue_grow(struct event_queue *queue);

/* Inserts the event at `time`; one that is queued already moves there and takes a new place in the order. */
static inline void
queue_insert(struct event_queue *queue, struct event *event, int64_t time)
{
  if(event->due > 0) {
    queue->due[event->due - 1] = NULL;
    event->due = 0;
  }
  event->time = time;
  event->queued = true;
  queue->steps++;
  if(time == queue->wheel_time) {
    if(queue->count == queue->capacity) {
      queue_grow(queue);
    }
    queue->due[queue->count++] = event;
    event->due = queue->count;
    return;
  }
  event->order = queue->order++;
  if(time != event->place_time || time < queue->wheel_time) {
    queue_place(queue, event);
  }
}

/* A wake-up: ignored if the event is queued for that time or earlier. */
static inline void
queue_wake(struct event_queue *queue, struct event *event, int64_t time)
{
  if(!event->queued || event->time > time) {
    queue_insert(queue, event, time);
  }
}

enum { MOST_INSERTIONS = 1 << 30 }; /* in one event */

/* Is the event that runs now the last of its time, as far as is known? */
static inline bool
queue_is_last(const struct event_queue *queue)
{
  return queue->taken == queue->count;
}

/* As if the event were woken now, that came next, and it were then inserted again at the time that it waits for, if it
   waits for one: behind all that the event which runs now inserts. */
static inline void
queue_renew(struct event_queue *queue, struct event *event)
{
  event->order = queue->order + MOST_INSERTIONS + queue->renewed++;
}

/* After an event that may have renewed others. */
static inline void
queue_next_event(struct event_queue *queue)
{
  if(queue->renewed > 0) {
    queue->order += MOST_INSERTIONS + queue->renewed;
    queue->renewed = 0;
  }
}

/* The first event, when the next place in the array is empty. */
struct event *queue_next(struct event_queue *queue);

/* Takes the first event and sets `now`; NULL if there is none. */
static inline struct event *
queue_take(struct event_queue *queue)
{
  struct event *event;

  if(queue->taken < queue->count && queue->due[queue->taken] != NULL) {
    event = queue->due[queue->taken++];
  } else if((event = queue_next(queue)) == NULL) {
    return NULL;
  }
  queue->now = event->time;
  event->due = 0;
  event->queued = false;
  return event;
}

#endif
