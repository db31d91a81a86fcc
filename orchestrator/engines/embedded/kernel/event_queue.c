/* SPDX-License-Identifier: Apache-2.0 */
#include "event_queue.h"

#include "memory.h"

#include <stdlib.h>

enum { CHILDREN = 4, FIRST_SIZE = 64 };

void
queue_init(struct event_queue *queue)
{
  *queue = (struct event_queue){
    .heap = allocate(FIRST_SIZE, sizeof(struct heap_entry)),
    .heap_size = FIRST_SIZE,
    .line = allocate(FIRST_SIZE, sizeof(struct line_entry)),
    .line_size = FIRST_SIZE,
  };
}

void
queue_free(struct event_queue *queue)
{
  free(queue->heap);
  free(queue->line);
}

void
event_init(struct event *event)
{
  *event = (struct event){.place = NOT_QUEUED};
}

static bool
before(const struct heap_entry *a, const struct heap_entry *b)
{
  return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void
put(struct event_queue *queue, size_t place, struct heap_entry entry)
{
  queue->heap[place] = entry;
  entry.event->place = (int32_t)place;
}

static void
sift_up(struct event_queue *queue, size_t place, struct heap_entry entry)
{
  while(place > 0) {
    size_t parent = (place - 1) / CHILDREN;
    if(!before(&entry, &queue->heap[parent])) {
      break;
    }
    put(queue, place, queue->heap[parent]);
    place = parent;
  }
  put(queue, place, entry);
}

static void
sift_down(struct event_queue *queue, size_t place, struct heap_entry entry)
{
  for(;;) {
    size_t child = place * CHILDREN + 1;
    size_t end = child + CHILDREN < queue->heap_used ? child + CHILDREN : queue->heap_used;
    size_t least = child;
    if(child >= queue->heap_used) {
      break;
    }
    while(++child < end) {
      if(before(&queue->heap[child], &queue->heap[least])) {
        least = child;
      }
    }
    if(!before(&queue->heap[least], &entry)) {
      break;
    }
    put(queue, place, queue->heap[least]);
    place = least;
  }
  put(queue, place, entry);
}

static void
heap_remove(struct event_queue *queue, size_t place)
{
  struct heap_entry last = queue->heap[--queue->heap_used];

  if(place == queue->heap_used) {
    return;
  }
  if(place > 0 && before(&last, &queue->heap[(place - 1) / CHILDREN])) {
    sift_up(queue, place, last);
  } else {
    sift_down(queue, place, last);
  }
}

static void
line_append(struct event_queue *queue, struct event *event)
{
  if(queue->line_used == queue->line_size) {
    struct line_entry *longer = allocate(2 * queue->line_size, sizeof(*longer));
    for(size_t i = 0; i < queue->line_used; i++) {
      longer[i] = queue->line[(queue->line_first + i) & (queue->line_size - 1)];
    }
    free(queue->line);
    queue->line = longer;
    queue->line_first = 0;
    queue->line_size *= 2;
  }
  queue->line[(queue->line_first + queue->line_used++) & (queue->line_size - 1)] =
    (struct line_entry){event->order, event};
  event->place = IN_LINE;
}

/* Drops entries of events that were moved out of the line. */
static void
line_skip_moved(struct event_queue *queue)
{
  while(queue->line_used > 0) {
    struct line_entry *first = &queue->line[queue->line_first];
    if(first->event->place == IN_LINE && first->event->order == first->order) {
      return;
    }
    queue->line_first = (queue->line_first + 1) & (queue->line_size - 1);
    queue->line_used--;
  }
}

void
queue_insert(struct event_queue *queue, struct event *event, int64_t time)
{
  if(event->place >= 0) {
    heap_remove(queue, (size_t)event->place);
  }
  event->time = time;
  event->order = queue->inserted++;
  if(time == queue->now && (queue->line_used == 0 || queue->line_time == time)) {
    queue->line_time = time;
    line_append(queue, event);
    return;
  }
  if(queue->heap_used == queue->heap_size) {
    queue->heap_size *= 2;
    queue->heap = reallocate(queue->heap, queue->heap_size, sizeof(*queue->heap));
  }
  sift_up(queue, queue->heap_used++, (struct heap_entry){time, event->order, event});
}

struct event *
queue_take(struct event_queue *queue)
{
  struct event *event;

  line_skip_moved(queue);
  if(queue->line_used > 0) {
    struct line_entry *first = &queue->line[queue->line_first];
    struct heap_entry key = {queue->line_time, first->order, first->event};
    if(queue->heap_used == 0 || before(&key, &queue->heap[0])) {
      queue->line_first = (queue->line_first + 1) & (queue->line_size - 1);
      queue->line_used--;
      event = first->event;
      event->place = NOT_QUEUED;
      queue->now = event->time;
      return event;
    }
  }
  if(queue->heap_used == 0) {
    return NULL;
  }
  event = queue->heap[0].event;
  heap_remove(queue, 0);
  event->place = NOT_QUEUED;
  queue->now = event->time;
  return event;
}
