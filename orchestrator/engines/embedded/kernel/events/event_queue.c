/* SPDX-License-Identifier: Apache-2.0 */
#include "events/event_queue.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 8 }; /* of a time, on each level */

void
queue_init(struct event_queue *queue)
{
  *queue = (struct event_queue){.order = FIRST_ORDER + 1};
}

void
event_init(struct event *event)
{
  *event = (struct event){.place_time = NOWHERE};
}

/* Reuses the places of taken events first, because any number of events may come one after the other at one time. */
void
queue_grow(struct event_queue *queue)
{
  uint32_t left = queue->count - queue->taken;

  if(queue->taken > queue->capacity / 2) {
    memmove(queue->due, queue->due + queue->taken, left * sizeof(*queue->due));
    queue->opened -= queue->opened < queue->taken ? queue->opened : queue->taken;
    queue->taken = 0;
    queue->count = left;
    for(uint32_t i = 0; i < left; i++) {
      if(queue->due[i] != NULL) {
        queue->due[i]->due = i + 1;
      }
    }
    return;
  }
  queue->capacity = queue->capacity ? 2 * queue->capacity : SLOTS;
  queue->due = reallocate(queue->due, queue->capacity, sizeof(*queue->due));
}

static void
list_append(struct event_list *list, struct event *event)
{
  event->previous = list->last;
  event->next = NULL;
  *(list->last ? &list->last->next : &list->first) = event;
  list->last = event;
}

static void
list_remove(struct event_list *list, struct event *event)
{
  *(event->next ? &event->next->previous : &list->last) = event->previous;
  *(event->previous ? &event->previous->next : &list->first) = event->next;
}

/* Inserts an event with a time before the wheel's, which is rare, among the due ones, so that time goes back. */
static void
insert_in_past(struct event_queue *queue, struct event *event)
{
  uint32_t at;

  if(queue->count == queue->capacity) {
    queue_grow(queue);
  }
  at = queue->count;
  while(at > queue->taken && (queue->due[at - 1] == NULL || queue->due[at - 1]->time > event->time)) {
    queue->due[at] = queue->due[at - 1];
    if(queue->due[at] != NULL) {
      queue->due[at]->due = at + 1;
    }
    at--;
    queue->steps++;
  }
  queue->due[at] = event;
  event->due = at + 1;
  queue->count++;
}

/* Shifts the due events from a place on, so that it is free. */
static void
make_place(struct event_queue *queue, uint32_t place)
{
  memmove(queue->due + place + 1, queue->due + place, (queue->count - place) * sizeof(*queue->due));
  queue->count++;
  queue->opened += place <= queue->opened;
  for(uint32_t i = place + 1; i < queue->count; i++) {
    if(queue->due[i] != NULL) {
      queue->due[i]->due = i + 1;
    }
  }
}

void
queue_put_back(struct event_queue *queue, struct event *event, int64_t time)
{
  uint32_t place;

  if(time > queue->wheel_time) {
    queue_insert_first(queue, event, time);
    return;
  }
  if(queue->count == queue->capacity) {
    queue_grow(queue); /* which may give up the places of those that were taken */
  }
  place = queue->taken;
  while(place < queue->count && (queue->due[place] == NULL || queue->due[place]->time < time)) {
    place++; /* inserted in the past */
  }
  if(place > queue->taken || place == 0) {
    make_place(queue, place);
  } else {
    place = --queue->taken;
  }
  queue->due[place] = event;
  event->due = place + 1;
  event->time = time;
  event->queued = true;
}

static void
mark_empty(struct event_queue *queue, unsigned level, unsigned slot)
{
  uint64_t *used = queue->used[level], any = 0;

  used[slot / 64] &= ~(1ULL << slot % 64);
  for(unsigned i = 0; i < WORDS; i++) {
    any |= used[i];
  }
  if(any == 0) {
    queue->used_levels &= ~(1u << level);
  }
}

/* Removes an event from its place on the wheel. */
static void
take_off(struct event_queue *queue, struct event *event)
{
  struct event_list *list = &queue->slots[event->place];

  list_remove(list, event);
  if(list->first == NULL) {
    mark_empty(queue, event->place / SLOTS, event->place % SLOTS);
  }
  event->place_time = NOWHERE;
}

void
queue_give_up_place(struct event_queue *queue, struct event *event)
{
  if(event->place_time != NOWHERE) {
    take_off(queue, event);
  }
}

/* Puts an event on the wheel for its place_time, which is later than the wheel's time. */
static void
put_on(struct event_queue *queue, struct event *event)
{
  uint64_t difference = (uint64_t)event->place_time ^ (uint64_t)queue->wheel_time;
  unsigned level = (63 - (unsigned)__builtin_clzll(difference)) / BITS;
  unsigned slot = (unsigned)((uint64_t)event->place_time >> (level * BITS)) % SLOTS;
  struct event_list *list = &queue->slots[level * SLOTS + slot];

  event->place = level * SLOTS + slot;
  list_append(list, event);
  queue->used[level][slot / 64] |= 1ULL << slot % 64;
  queue->used_levels |= 1u << level;
}

/* Puts an event in the queue for its time, which differs from that of the place it may have. */
void
queue_place(struct event_queue *queue, struct event *event)
{
  queue_give_up_place(queue, event);
  if(event->time < queue->wheel_time) {
    insert_in_past(queue, event);
    return;
  }
  event->place_time = event->time;
  put_on(queue, event);
}

/* The slot whose events come first: it is on the lowest level with events, because those on higher levels are later. */
static unsigned
first_slot(const struct event_queue *queue)
{
  unsigned level = (unsigned)__builtin_ctz(queue->used_levels), word = 0;

  while(queue->used[level][word] == 0) {
    word++;
  }
  return level * SLOTS + word * 64 + (unsigned)__builtin_ctzll(queue->used[level][word]);
}

static int
compare_order(const void *left, const void *right)
{
  const struct event *a = *(struct event *const *)left, *b = *(struct event *const *)right;

  return a->order < b->order ? -1 : 1;
}

/* Empties a slot: events at wheel_time are due, others move to a lower level. */
static void
open_slot(struct event_queue *queue, struct event *event)
{
  bool sorted = true;

  queue->taken = queue->count = 0;
  for(struct event *next; event != NULL; event = next) {
    next = event->next;
    queue->steps++;
    if(event->queued && event->place_time != queue->wheel_time) {
      put_on(queue, event);
      continue;
    }
    event->place_time = NOWHERE;
    if(event->queued) {
      if(queue->count == queue->capacity) {
        queue_grow(queue);
      }
      sorted &= queue->count == 0 || queue->due[queue->count - 1]->order < event->order;
      queue->due[queue->count++] = event;
    }
  }
  if(!sorted) {
    qsort(queue->due, queue->count, sizeof(*queue->due), compare_order);
  }
  for(uint32_t i = 0; i < queue->count; i++) {
    queue->due[i]->due = i + 1;
  }
  queue->opened = queue->count;
}

/* Advances the wheel when no due event is left. Returns false if there are no events. */
static bool
turn(struct event_queue *queue)
{
  unsigned number, level, slot;
  struct event *first;

  if(queue->used_levels == 0) {
    return false;
  }
  number = first_slot(queue);
  level = number / SLOTS;
  slot = number % SLOTS;
  first = queue->slots[number].first;
  queue->slots[number] = (struct event_list){0};
  mark_empty(queue, level, slot);
  if(first->next == NULL) {
    queue->wheel_time = first->place_time;
  } else { /* several times may lie in it */
    uint64_t mask = ~0ULL >> (64 - (level + 1) * BITS);
    queue->wheel_time = (int64_t)(((uint64_t)queue->wheel_time & ~mask) | (uint64_t)slot << (level * BITS));
  }
  open_slot(queue, first);
  return true;
}

struct event *
queue_next(struct event_queue *queue)
{
  struct event *event = NULL;

  while(event == NULL) {
    if(queue->taken < queue->count) {
      event = queue->due[queue->taken++];
    } else if(!turn(queue)) {
      return NULL;
    }
  }
  return event;
}

int64_t
queue_bound(const struct event_queue *queue)
{
  unsigned number, shift;

  for(uint32_t i = queue->taken; i < queue->count; i++) {
    if(queue->due[i] != NULL) {
      return queue->wheel_time;
    }
  }
  if(queue->used_levels == 0) {
    return INT64_MAX;
  }
  number = first_slot(queue);
  shift = number / SLOTS * BITS;
  return (int64_t)(((uint64_t)queue->wheel_time & ~(~0ULL >> (64 - BITS - shift))) | (uint64_t)(number % SLOTS) << shift);
}
