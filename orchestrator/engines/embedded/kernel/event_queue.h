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
 * Most insertions are of motes woken at the present time: those stand in a list.
 * Most of those motes waited for a timer, and wait for it again afterwards: so a
 * woken event keeps its place on the wheel, which doesn't count until the event
 * is inserted at that time again. A place that the wheel reaches first goes.
 */
#ifndef EVENT_QUEUE_H
#define EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEVELS = 8, SLOTS = 256, WORDS = SLOTS / 64 };
enum { NO_PLACE = -1, IN_PAST = -2 }; /* event.place; 0 and up: level * SLOTS + slot */

struct event {
  int64_t time;                  /* us, if it is queued */
  int64_t place_time;            /* us, of the place that it has */
  struct event *next, *previous; /* there */
  struct event *next_present;
  int32_t place;
  bool queued;
  bool present; /* stands in the list of the present: its place doesn't count */
};

struct event_list {
  struct event *first, *last;
};

struct event_queue {
  int64_t now; /* us, time of the event taken last */
  uint64_t steps; /* places that events took */
  int64_t wheel_time; /* us; no event on the wheel is earlier, those before it are in the past */
  struct event_list present; /* inserted at wheel_time when it had come: after those that wait there on the wheel */
  struct event_list past; /* sorted; nearly always empty */
  struct event_list slots[LEVELS * SLOTS]; /* each in order of insertion */
  uint64_t used[LEVELS][WORDS]; /* slots that have events */
  uint32_t used_levels;
};

void queue_init(struct event_queue *queue);
void event_init(struct event *event);

/* queue_insert(), when neither of its short ways will do. */
void queue_place(struct event_queue *queue, struct event *event, int64_t time);

/* Inserts the event at `time`; one that is queued already moves there and takes a new place in the order. */
static inline void
queue_insert(struct event_queue *queue, struct event *event, int64_t time)
{
  if(event->present || event->place == IN_PAST) {
    queue_place(queue, event, time);
  } else if(time == queue->wheel_time) {
    event->present = true;
    event->next_present = NULL;
    *(queue->present.first ? &queue->present.last->next_present : &queue->present.first) = event;
    queue->present.last = event;
  } else if(event->place_time != time || event->next != NULL || event->place == NO_PLACE) {
    queue_place(queue, event, time);
  }
  event->time = time;
  event->queued = true;
  queue->steps++;
}

/* A wake-up: ignored if the event is queued for that time or earlier. */
static inline void
queue_wake(struct event_queue *queue, struct event *event, int64_t time)
{
  if(!event->queued || event->time > time) {
    queue_insert(queue, event, time);
  }
}

/* Takes the first event and sets `now`; NULL if there is none. */
struct event *queue_take(struct event_queue *queue);

#endif
