/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in Cooja's order: by time (us), then by insertion. An event is in the
 * queue at most once. A time may be before the current one (an rtimer set
 * in the past); then simulated time goes back, as it does in Cooja.
 *
 * A timing wheel of several levels (Varghese and Lauck, Hashed and Hierarchical
 * Timing Wheels, 1987): an event lies on the level of the highest byte in which
 * its time differs from the wheel's, in the slot of that byte's value. The cost of
 * an insertion or removal doesn't depend on the number of events.
 *
 * The events that are due are in an array; most of them are motes woken by others
 * at the present time. Most of those motes waited for a timer, and will wait for
 * it again. Therefore a woken event keeps its place on the wheel; the place is
 * inactive until the event is inserted at that time again. If the wheel reaches an
 * inactive place, it is removed. Places at one time are unordered: when the wheel
 * reaches them, their events are sorted by insertion.
 */
#ifndef EVENT_QUEUE_H
#define EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOWHERE INT64_MIN /* the place_time of an event without a place */
enum { FIRST_ORDER = 0 }; /* no insertion has this number */
#define LAST_ORDER UINT64_MAX /* nor this one */
enum { LEVELS = 8, SLOTS = 256, WORDS = SLOTS / 64 };

struct event {
  int64_t time;       /* us, if it is queued */
  int64_t place_time; /* us, of its place on the wheel; NOWHERE: it has none */
  uint64_t order;     /* number of its insertion */
  struct event *next, *previous; /* at its place */
  uint32_t place; /* level * SLOTS + slot */
  uint32_t due;   /* 0, or its index + 1 in the array of due events: then its place is inactive */
  bool queued;
};

struct event_list {
  struct event *first, *last;
};

struct event_queue {
  int64_t now; /* us, time of the event taken last */
  uint64_t order; /* number of the next insertion */
  uint64_t renewed; /* events renewed by the event that runs now, which come after its insertions */
  uint64_t steps; /* work done: insertions and visited places */
  int64_t wheel_time; /* us; no event on the wheel is at that time or earlier */
  struct event **due; /* the events at wheel_time or earlier, in order; NULL for a removed one */
  uint32_t taken, count, capacity; /* of `due` */
  uint32_t opened; /* those of `due` that were inserted before their time came */
  struct event_list slots[LEVELS * SLOTS];
  uint64_t used[LEVELS][WORDS]; /* slots that have events */
  uint32_t used_levels;
};

void queue_init(struct event_queue *queue);
void event_init(struct event *event);

/* The parts of queue_insert() that are rarely needed. */
void queue_place(struct event_queue *queue, struct event *event);
void queue_grow(struct event_queue *queue);

/* Inserts the event at `time`; an event that is queued already moves there and gets a new place in the order. */
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

/* Inserts the event before all others at `time`, which must be later than the wheel's. */
static inline void
queue_insert_first(struct event_queue *queue, struct event *event, int64_t time)
{
  queue_insert(queue, event, time);
  event->order = FIRST_ORDER;
}

/* Inserts the event after all that are inserted at another time than `time`, which must be later than the wheel's. */
static inline void
queue_insert_last(struct event_queue *queue, struct event *event, int64_t time)
{
  queue_insert(queue, event, time);
  event->order = LAST_ORDER;
}

/* Inserts the event that runs now at `time`, the present one, before all that have that time. */
void queue_put_back(struct event_queue *queue, struct event *event, int64_t time);

/* The time before which everything has happened: that of the event that runs now, or later where it went on by itself. */
static inline int64_t
queue_present(const struct event_queue *queue)
{
  return queue->now > queue->wheel_time ? queue->now : queue->wheel_time;
}

/* Inserts a wake-up, unless the event is queued for this time or earlier. */
static inline void
queue_wake(struct event_queue *queue, struct event *event, int64_t time)
{
  if(!event->queued || event->time > time) {
    queue_insert(queue, event, time);
  }
}

enum { MOST_INSERTIONS = 1 << 30 }; /* during one event */

/* Is the event that runs now the last at its time among those that are queued? */
static inline bool
queue_is_last(const struct event_queue *queue)
{
  return queue->taken == queue->count;
}

/* Has the same effect as waking the event now, running it next, and inserting it again at the time that it waits for, if
   it waits: it then comes after everything that the event which runs now inserts. */
static inline void
queue_renew(struct event_queue *queue, struct event *event)
{
  event->order = queue->order + MOST_INSERTIONS + queue->renewed++;
}

/* Must be called after an event that may have renewed others. */
static inline void
queue_next_event(struct event_queue *queue)
{
  if(queue->renewed > 0) {
    queue->order += MOST_INSERTIONS + queue->renewed;
    queue->renewed = 0;
  }
}

/* Finds the first event if the array of due events has no next one. */
struct event *queue_next(struct event_queue *queue);

/* Was the event that runs now inserted at the very time at which it runs? */
static inline bool
queue_inserted_now(const struct event_queue *queue)
{
  return queue->taken > queue->opened;
}

/* Does the queue hold the event, be it only by a place on the wheel that it kept when it was no longer `queued`? */
static inline bool
queue_holds(const struct event *event)
{
  return event->due != 0 || event->place_time != NOWHERE;
}

/* Gives up the place that an event which isn't queued may have kept. */
void queue_give_up_place(struct event_queue *queue, struct event *event);

/* No event comes before this time unless it is due already. It may be earlier than the first event's; INT64_MAX if there is none. */
int64_t queue_bound(const struct event_queue *queue);

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
