/* SPDX-License-Identifier: Apache-2.0 */
#include "event_queue.h"

enum { BITS = 8 }; /* of a time, on each level */

void
queue_init(struct event_queue *queue)
{
  *queue = (struct event_queue){0};
}

void
event_init(struct event *event)
{
  *event = (struct event){.place = NOT_QUEUED};
}

/* Links the event in behind `previous`, or as the first. */
static void
list_insert(struct event_list *list, struct event *previous, struct event *event)
{
  event->previous = previous;
  event->next = previous ? previous->next : list->first;
  *(event->next ? &event->next->previous : &list->last) = event;
  *(previous ? &previous->next : &list->first) = event;
}

static void
list_remove(struct event_list *list, struct event *event)
{
  *(event->next ? &event->next->previous : &list->last) = event->previous;
  *(event->previous ? &event->previous->next : &list->first) = event->next;
}

static void
insert_in_past(struct event_queue *queue, struct event *event)
{
  struct event *previous = queue->past.last;

  while(previous != NULL && previous->time > event->time) {
    queue->steps++;
    previous = previous->previous;
  }
  list_insert(&queue->past, previous, event);
  event->place = IN_PAST;
}

static void
place(struct event_queue *queue, struct event *event)
{
  uint64_t difference = (uint64_t)event->time ^ (uint64_t)queue->wheel_time;
  unsigned level, slot;

  queue->steps++;
  if(event->time < queue->wheel_time) {
    insert_in_past(queue, event);
    return;
  }
  level = difference ? (63 - (unsigned)__builtin_clzll(difference)) / BITS : 0;
  slot = (unsigned)((uint64_t)event->time >> (level * BITS)) % SLOTS;
  event->place = (int32_t)(level * SLOTS + slot);
  list_insert(&queue->slots[event->place], queue->slots[event->place].last, event);
  queue->used[level][slot / 64] |= 1ULL << slot % 64;
  queue->used_levels |= 1u << level;
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

static void
take_out(struct event_queue *queue, struct event *event)
{
  struct event_list *list = event->place == IN_PAST ? &queue->past : &queue->slots[event->place];

  list_remove(list, event);
  if(event->place != IN_PAST && list->first == NULL) {
    mark_empty(queue, (unsigned)event->place / SLOTS, (unsigned)event->place % SLOTS);
  }
  event->place = NOT_QUEUED;
}

void
queue_insert(struct event_queue *queue, struct event *event, int64_t time)
{
  if(event->place != NOT_QUEUED) {
    take_out(queue, event);
  }
  event->time = time;
  place(queue, event);
}

/* The slot whose events come first: on the lowest level that has any, for all higher ones are later. */
static unsigned
first_slot(const struct event_queue *queue)
{
  unsigned level = (unsigned)__builtin_ctz(queue->used_levels), word = 0;

  while(queue->used[level][word] == 0) {
    word++;
  }
  return level * SLOTS + word * 64 + (unsigned)__builtin_ctzll(queue->used[level][word]);
}

/* Turns the wheel to the slot's first time and places its events anew, lower and in their order. */
static void
open_slot(struct event_queue *queue, unsigned number)
{
  unsigned level = number / SLOTS, slot = number % SLOTS;
  struct event *event = queue->slots[number].first;
  uint64_t mask = ~0ULL >> (64 - (level + 1) * BITS);

  queue->wheel_time = (int64_t)(((uint64_t)queue->wheel_time & ~mask) | (uint64_t)slot << (level * BITS));
  queue->slots[number] = (struct event_list){0};
  mark_empty(queue, level, slot);
  while(event != NULL) {
    struct event *next = event->next;
    place(queue, event);
    event = next;
  }
}

struct event *
queue_take(struct event_queue *queue)
{
  struct event *event = queue->past.first;

  while(event == NULL) {
    unsigned number;
    if(queue->used_levels == 0) {
      return NULL;
    }
    number = first_slot(queue);
    event = queue->slots[number].first;
    if(number >= SLOTS && event->next != NULL) { /* several times may lie in it */
      open_slot(queue, number);
      event = NULL;
    } else {
      queue->wheel_time = event->time;
    }
  }
  take_out(queue, event);
  queue->now = event->time;
  return event;
}
