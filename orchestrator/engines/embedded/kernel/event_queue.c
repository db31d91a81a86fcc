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
  *event = (struct event){.place = NO_PLACE};
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

static void
insert_in_past(struct event_queue *queue, struct event *event)
{
  struct event *previous = queue->past.last;

  while(previous != NULL && previous->place_time > event->place_time) {
    queue->steps++;
    previous = previous->previous;
  }
  list_insert(&queue->past, previous, event);
  event->place = IN_PAST;
}

/* For its place_time. */
static void
place(struct event_queue *queue, struct event *event)
{
  uint64_t difference = (uint64_t)event->place_time ^ (uint64_t)queue->wheel_time;
  unsigned level, slot;

  if(event->place_time < queue->wheel_time) {
    insert_in_past(queue, event);
    return;
  }
  level = difference ? (63 - (unsigned)__builtin_clzll(difference)) / BITS : 0;
  slot = (unsigned)((uint64_t)event->place_time >> (level * BITS)) % SLOTS;
  event->place = (int32_t)(level * SLOTS + slot);
  list_append(&queue->slots[event->place], event);
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
  event->place = NO_PLACE;
}

/* Rare: the event is then to come at another time, or after others again. */
static void
remove_from_present(struct event_queue *queue, struct event *event)
{
  struct event *before = NULL;

  for(struct event *at = queue->present.first; at != event; at = at->next_present) {
    before = at;
    queue->steps++;
  }
  *(before ? &before->next_present : &queue->present.first) = event->next_present;
  if(queue->present.last == event) {
    queue->present.last = before;
  }
  event->present = false;
}

void
queue_place(struct event_queue *queue, struct event *event, int64_t time)
{
  if(event->present) {
    remove_from_present(queue, event);
  }
  if(event->place >= 0 && event->place_time == time && time != queue->wheel_time) {
    struct event_list *list = &queue->slots[event->place];
    list_remove(list, event);
    list_append(list, event);
    return;
  }
  if(event->place != NO_PLACE) {
    take_out(queue, event);
  }
  if(time == queue->wheel_time) {
    queue_insert(queue, event, time); /* among the present ones */
    return;
  }
  event->place_time = time;
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

/* Does the event come when the wheel reaches its place? */
static bool
counts(const struct event *event)
{
  return event->queued && !event->present;
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
    if(counts(event)) {
      place(queue, event);
      queue->steps++;
    } else {
      event->place = NO_PLACE;
    }
    event = next;
  }
}

/* Turns the wheel on, when no event is left at its time. False if there is none at all. */
static bool
turn(struct event_queue *queue)
{
  unsigned slot = (unsigned)((uint64_t)queue->wheel_time % SLOTS), number;
  struct event *event;

  if(queue->used[0][slot / 64] >> slot % 64 & 1) { /* queue_take() leaves that to us */
    mark_empty(queue, 0, slot);
  }
  if(queue->used_levels == 0) {
    return false;
  }
  number = first_slot(queue);
  event = queue->slots[number].first;
  if(number < SLOTS) {
    queue->wheel_time = event->place_time;
  } else if(event->next != NULL) { /* several times may lie in it */
    open_slot(queue, number);
  } else {
    take_out(queue, event);
    if(counts(event)) {
      queue->wheel_time = event->time;
      queue_insert(queue, event, event->time);
    }
  }
  return true;
}

struct event *
queue_take(struct event_queue *queue)
{
  struct event *event = queue->past.first;

  if(event != NULL) {
    take_out(queue, event);
  }
  while(event == NULL) {
    struct event_list *list = &queue->slots[(uint64_t)queue->wheel_time % SLOTS];
    if(list->first != NULL) {
      event = list->first;
      list_remove(list, event);
      event->place = NO_PLACE;
      event = counts(event) ? event : NULL;
    } else if(queue->present.first != NULL) {
      event = queue->present.first;
      queue->present.first = event->next_present;
      event->present = false;
    } else if(!turn(queue)) {
      return NULL;
    }
  }
  event->queued = false;
  queue->now = event->time;
  return event;
}
