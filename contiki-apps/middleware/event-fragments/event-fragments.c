/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "event-fragments.h"
#include "push-consumer.h"

#define MOST ((EVENT_FRAGMENTS_SIZE + EVENT_FRAGMENTS_DATA - 1) / EVENT_FRAGMENTS_DATA)

struct event_fragments_counters event_fragments_counters;

static struct source {
  pubsub_subject_t event;
  uint8_t publisher; /* 0: free */
  uint8_t message, last, missing;
  uint16_t length;
  uint8_t here[(MOST + 7) / 8];
  uint8_t data[EVENT_FRAGMENTS_SIZE];
} sources[EVENT_FRAGMENTS_SOURCES];

static uint8_t oldest;
/*---------------------------------------------------------------------------*/
static uint8_t
last_of(uint16_t length)
{
  return length == 0 ? 0 : (length - 1) / EVENT_FRAGMENTS_DATA;
}
/*---------------------------------------------------------------------------*/
static void
push_next(void *ptr)
{
  struct event_fragments_sender *sender = ptr;
  uint8_t last = last_of(sender->length), data[PUBSUB_MAX_DATA];
  uint16_t at = sender->next * EVENT_FRAGMENTS_DATA;
  uint8_t size = sender->next < last ? EVENT_FRAGMENTS_DATA : sender->length - at;

  data[0] = sender->message;
  data[1] = sender->next;
  data[2] = last;
  memcpy(data + EVENT_FRAGMENTS_HEADER, sender->data + at, size);
  push_consumer_push(sender->event, data, EVENT_FRAGMENTS_HEADER + size);
  if(sender->next++ == last) {
    sender->data = NULL;
    sender->message++;
  } else {
    ctimer_set(&sender->timer, sender->gap, push_next, sender);
  }
}
/*---------------------------------------------------------------------------*/
bool
event_fragments_push(struct event_fragments_sender *sender, pubsub_subject_t event,
                     const uint8_t *data, uint16_t length, clock_time_t gap)
{
  if(sender->data != NULL || length > EVENT_FRAGMENTS_SIZE) {
    event_fragments_counters.fragmented_refused++;
    return false;
  }
  sender->event = event;
  sender->data = data;
  sender->length = length;
  sender->next = 0;
  sender->gap = gap;
  push_next(sender);
  return true;
}
/*---------------------------------------------------------------------------*/
static struct source *
source_of(const struct pubsub_event *event)
{
  struct source *source;
  unsigned i;

  for(i = 0; i < EVENT_FRAGMENTS_SOURCES; i++) {
    source = &sources[i];
    if(source->publisher == event->contributor[0].publisher && source->event == event->subject) {
      return source;
    }
  }
  /* Takes a free place, or that of the one who has had it longest. */
  source = &sources[oldest];
  oldest = (oldest + 1) % EVENT_FRAGMENTS_SOURCES;
  event_fragments_counters.fragmented_incomplete += source->missing > 0;
  memset(source, 0, sizeof(*source));
  return source;
}
/*---------------------------------------------------------------------------*/
static void
begin(struct source *source, const struct pubsub_event *event)
{
  event_fragments_counters.fragmented_incomplete += source->missing > 0;
  source->event = event->subject;
  source->publisher = event->contributor[0].publisher;
  source->message = event->data[0];
  source->last = event->data[2];
  source->missing = source->last + 1;
  memset(source->here, 0, sizeof(source->here));
}
/*---------------------------------------------------------------------------*/
void
event_fragments_take(const struct pubsub_event *event,
                     void (*whole)(pubsub_subject_t event, uint8_t publisher,
                                   const uint8_t *data, uint16_t length))
{
  uint8_t place = event->data[1], last = event->data[2], size;
  struct source *source;
  uint32_t at = (uint32_t)place * EVENT_FRAGMENTS_DATA;

  if(event->length < EVENT_FRAGMENTS_HEADER) {
    return;
  }
  size = event->length - EVENT_FRAGMENTS_HEADER;
  if(place > last || last >= MOST || at + size > EVENT_FRAGMENTS_SIZE
     || (place < last && size != EVENT_FRAGMENTS_DATA)) {
    return;
  }
  source = source_of(event);
  if(source->publisher == 0 || source->message != event->data[0] || source->last != last) {
    begin(source, event);
  }
  if(source->here[place / 8] & 1 << place % 8) {
    return;
  }
  source->here[place / 8] |= 1 << place % 8;
  memcpy(source->data + at, event->data + EVENT_FRAGMENTS_HEADER, size);
  if(place == last) {
    source->length = at + size;
  }
  if(--source->missing == 0) {
    event_fragments_counters.fragmented_whole++;
    whole(source->event, source->publisher, source->data, source->length);
  }
}
/*---------------------------------------------------------------------------*/
void
event_fragments_init(void)
{
  memset(sources, 0, sizeof(sources));
  memset(&event_fragments_counters, 0, sizeof(event_fragments_counters));
  oldest = 0;
}
