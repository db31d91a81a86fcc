/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "blackboard-binding.h"
#include "blackboard-thread.h"

#include "sys/log.h"
#define LOG_MODULE "Binding"
#define LOG_LEVEL LOG_LEVEL_WARN

enum direction { IN, OUT, OUT_MERGED };

struct binding {
  const char *subject; /* NULL: the end */
  uint8_t direction;
  uint8_t event;
  uint8_t octets;
};

static const struct binding bindings[] = {
#define BINDING(direction, subject, event, octets) \
  { #subject, direction, EVENT_##event, octets },
  BLACKBOARD_BINDINGS(BINDING)
#undef BINDING
  { NULL, IN, 0, 0 }
};

/* Faults that the compiler refuses, with their lines in project-conf.h. */
#define BINDING(direction, subject, event, octets) \
  _Static_assert((octets) == 1 || (octets) == 2 || (octets) == 4, \
                 "subject " #subject ": 1, 2 or 4 octets"); \
  _Static_assert(sizeof(#subject) <= sizeof(pubsub_subject_t) + 1, \
                 "subject " #subject ": at most eight characters");
BLACKBOARD_BINDINGS(BINDING)
#undef BINDING

/* The events' types, by event. */
static const uint8_t types[] = {
#define EVENT_TYPE(name, type, values, subscribers) BLACKBOARD_TYPE_##type,
  BLACKBOARD_EVENTS(EVENT_TYPE)
#undef EVENT_TYPE
};

static struct state {
  struct pubsub_publisher_channel *channel;
  uint32_t value; /* to go out */
  bool waiting;
  bool listens;   /* open, to go out */
} states[BLACKBOARD_NUMBER_OF_BINDINGS + 1];

/* The binding whose value is going out now; NULL: none. */
static const char *leaving;

struct blackboard_binding_counters blackboard_binding_counters;

PROCESS(blackboard_binding_process, "Blackboard bindings");
/*---------------------------------------------------------------------------*/
static bool
is_signed(const struct binding *binding)
{
  return types[binding->event] != BLACKBOARD_TYPE_UNSIGNED;
}
/*---------------------------------------------------------------------------*/
/* Writes the value in so many octets, sign-extended if the event is signed. */
static uint32_t
extended(const struct binding *binding, uint32_t value)
{
  unsigned unused = 32 - 8 * binding->octets;

  return is_signed(binding)
    ? (uint32_t)((int32_t)(value << unused) >> unused)
    : value << unused >> unused;
}
/*---------------------------------------------------------------------------*/
static void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  const struct binding *binding = context;
  uint32_t value = 0;
  unsigned i;

  if(leaving != NULL && pubsub_subject(leaving) == event->subject) {
    blackboard_binding_counters.returned++;
    return;
  }
  if(event->length != binding->octets) {
    blackboard_binding_counters.length++;
    return;
  }
  for(i = binding->octets; i > 0; i--) {
    value = value << 8 | event->data[i - 1];
  }
  /* An error is counted by the board. */
  blackboard_publish_request(binding->event, extended(binding, value));
}
/*---------------------------------------------------------------------------*/
/* This runs in the blackboard thread, which must not call the network; a
   process does that. */
static void
published(uint8_t event, uint8_t number, const uint32_t *value)
{
  const struct binding *binding;
  struct state *state = states;

  for(binding = bindings; binding->subject != NULL; binding++, state++) {
    if(state->listens && binding->event == event) {
      if(state->waiting) {
        blackboard_binding_counters.outrun++;
      }
      state->value = *value;
      state->waiting = true;
    }
  }
  process_poll(&blackboard_binding_process);
}
/*---------------------------------------------------------------------------*/
static void
send(const struct binding *binding, struct state *state)
{
  uint8_t data[4];
  uint32_t value = state->value;
  unsigned i;

  state->waiting = false;
  if(extended(binding, value) != value) {
    blackboard_binding_counters.range++;
    return;
  }
  for(i = 0; i < binding->octets; i++, value >>= 8) {
    data[i] = value & 0xff;
  }
  leaving = binding->subject;
  pubsub_publish(state->channel, data, binding->octets,
                 binding->direction == OUT_MERGED ? PUBSUB_AGGREGATABLE : 0);
  leaving = NULL;
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(blackboard_binding_process, ev, data)
{
  const struct binding *binding;
  struct state *state;

  PROCESS_BEGIN();

  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL);
    state = states;
    for(binding = bindings; binding->subject != NULL; binding++, state++) {
      if(state->waiting) {
        send(binding, state);
      }
    }
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
/* There is one subscription for each event, however many subjects it goes out
   to. */
static bool
listens(uint8_t event)
{
  const struct binding *binding;
  const struct state *state = states;

  for(binding = bindings; binding->subject != NULL; binding++, state++) {
    if(state->listens && binding->event == event) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
static bool
open_out(const struct binding *binding, struct state *state,
         struct pubsub_attribute *attributes)
{
  static const struct blackboard_subscription subscription = {
    .notification = BLACKBOARD_BY_CALLBACK | BLACKBOARD_WITH_VALUE,
    .handler.callback = published
  };

  state->channel = pubsub_announce(pubsub_subject(binding->subject),
                                   attributes);
  if(state->channel == NULL
     || (!listens(binding->event)
         && blackboard_subscribe(binding->event, &subscription) < 0)) {
    return false;
  }
  state->listens = true;
  process_start(&blackboard_binding_process, NULL);
  return true;
}
/*---------------------------------------------------------------------------*/
bool
blackboard_bind(unsigned number, struct pubsub_attribute *attributes)
{
  const struct binding *binding = &bindings[number];
  bool bound = binding->direction == IN
    ? pubsub_subscribe(pubsub_subject(binding->subject), arrived,
                       (void *)binding, attributes) != NULL
    : open_out(binding, &states[number], attributes);

  if(!bound) {
    LOG_WARN("subject %s is not bound\n", binding->subject);
    blackboard_binding_counters.refused++;
  }
  return bound;
}
/*---------------------------------------------------------------------------*/
bool
blackboard_bind_all(void)
{
  unsigned i;
  bool all = true;

  for(i = 0; bindings[i].subject != NULL; i++) {
    all = blackboard_bind(i, NULL) && all;
  }
  return all;
}
/*---------------------------------------------------------------------------*/
void
blackboard_binding_dump(void)
{
  const struct blackboard_binding_counters *c = &blackboard_binding_counters;
  const struct { const char *name; uint32_t value; } counts[] = {
    { "refused", c->refused }, { "length", c->length },
    { "outrun", c->outrun }, { "range", c->range },
    { "returned", c->returned }
  };
  unsigned i;

  for(i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
    if(counts[i].value > 0) {
      printf("!cnt,bindings_%s,%lu\n", counts[i].name,
             (unsigned long)counts[i].value);
    }
  }
}
