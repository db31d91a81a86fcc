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
 */
#ifndef EVENT_QUEUE_H
#define EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEVELS = 8, SLOTS = 256, WORDS = SLOTS / 64 };
enum { NOT_QUEUED = -1, IN_PAST = -2 }; /* event.place; 0 and up: level * SLOTS + slot */

struct event {
  int64_t time;   /* us */
  struct event *next, *previous;
  int32_t place;
};

struct event_list {
  struct event *first, *last;
};

struct event_queue {
  int64_t now; /* us, time of the event taken last */
  uint64_t steps; /* places that events took */
  int64_t wheel_time; /* us; no event on the wheel is earlier, those before it are in the past */
  struct event_list past; /* sorted; nearly always empty */
  struct event_list slots[LEVELS * SLOTS]; /* each in order of insertion */
  uint64_t used[LEVELS][WORDS]; /* slots that have events */
  uint32_t used_levels;
};

void queue_init(struct event_queue *queue);
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
