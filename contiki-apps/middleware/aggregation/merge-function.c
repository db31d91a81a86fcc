/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>
#include "merge-function.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"

#include "sys/log.h"
#define LOG_MODULE "Merge"
#define LOG_LEVEL LOG_LEVEL_WARN

/* A larger clock_time_t would be a negative number. */
#define LONGEST_TIMEOUT ((clock_time_t)-1 / 2)

static void timed_out(void *state);
/*---------------------------------------------------------------------------*/
static void
undone(const char *what)
{
  pubsub_counters.merges_undone++;
  LOG_WARN("the merge function %s\n", what);
}
/*---------------------------------------------------------------------------*/
static void
forward(struct merge_attribute *state, const char *reason)
{
  state->holds = false;
  ctimer_stop(&state->timer);
  PUBSUB_OBSERVE(forwarded, &state->stored, reason);
  pubsub_routing_forward(&state->stored);
}
/*---------------------------------------------------------------------------*/
static void
store(struct merge_attribute *state, const struct pubsub_event *event)
{
  state->stored = *event;
  state->holds = true;
  ctimer_set(&state->timer, state->timeout, timed_out, state);
}
/*---------------------------------------------------------------------------*/
static void
timed_out(void *ptr)
{
  struct merge_attribute *state = ptr;
  clock_time_t more = 0;

  if(!state->holds) {
    return;
  }
  if(state->function->timed_out != NULL) {
    more = state->function->timed_out(state);
  }
  if(more > LONGEST_TIMEOUT) {
    undone("holds for a negative time");
    more = 0;
  }
  if(more > 0) {
    ctimer_set(&state->timer, more, timed_out, state);
    return;
  }
  pubsub_counters.forward_timeout++;
  forward(state, "timeout");
}
/*---------------------------------------------------------------------------*/
static bool
is_full(const struct merge_attribute *state)
{
  if(state->function->full != NULL) {
    return state->function->full(state);
  }
  /* Condition `contained` prevents that a publisher is in it twice. */
  return state->full_at != 0 && state->stored.contributors >= state->full_at;
}
/*---------------------------------------------------------------------------*/
static bool
shares_a_publisher(const struct pubsub_event *a, const struct pubsub_event *b)
{
  unsigned i;

  for(i = 0; i < b->contributors; i++) {
    if(pubsub_event_contains(a, b->contributor[i].publisher)) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
static bool
is_same(const struct pubsub_event *a, const struct pubsub_event *b,
        bool data_too)
{
  return a->subject == b->subject && a->flags == b->flags
    && a->contributors == b->contributors
    && memcmp(a->contributor, b->contributor,
              a->contributors * sizeof(a->contributor[0])) == 0
    && (!data_too || (a->length == b->length
                      && memcmp(a->data, b->data, a->length) == 0));
}
/*---------------------------------------------------------------------------*/
/* Says what is wrong with the result of the merge function, or NULL. */
static const char *
nonsense(const struct merge_attribute *state, bool merged,
         const struct pubsub_event *stored, const struct pubsub_event *arrived,
         const struct pubsub_event *arrived_before)
{
  const struct pubsub_event *left = &state->stored;

  if(!is_same(arrived, arrived_before, true)) {
    return "changed what arrived";
  }
  if(!is_same(left, stored, !merged)) {
    return merged ? "changed more than data" : "changed what it refused";
  }
  if(left->length > PUBSUB_MAX_DATA
     || !pubsub_routing_fits(left, arrived->contributors)
     || (state->function->data_size != 0
         && left->length != state->function->data_size)) {
    return "left data of a wrong length";
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
/* The application's code is not trusted: changes that it must not make are
   undone. */
static bool
merge(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  struct pubsub_event *stored = &state->stored;
  struct pubsub_event stored_before = *stored, arrived_before = *arrived;
  bool merged = state->function->merge(state, arrived);
  const char *wrong = nonsense(state, merged, &stored_before, arrived,
                               &arrived_before);

  if(wrong != NULL) {
    *stored = stored_before;
    if(!is_same(arrived, &arrived_before, true)) {
      *(struct pubsub_event *)arrived = arrived_before; /* no constant */
    }
    undone(wrong);
    return false;
  }
  if(!merged) {
    return false;
  }
  PUBSUB_OBSERVE(merged, stored, arrived);
  memcpy(&stored->contributor[stored->contributors], arrived->contributor,
         arrived->contributors * sizeof(arrived->contributor[0]));
  stored->contributors += arrived->contributors;
  pubsub_counters.merged++;
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
intercept(struct pubsub_interceptor *interceptor,
          const struct pubsub_event *event)
{
  struct merge_attribute *state = (struct merge_attribute *)
    ((char *)interceptor - offsetof(struct merge_attribute, interceptor));

  /* If it were stored, no other event could be merged. */
  if(state->function->data_size != 0
     && event->length != state->function->data_size) {
    return false;
  }
  if(!state->holds) {
    store(state, event);
  } else if(shares_a_publisher(&state->stored, event)) {
    pubsub_counters.forward_contained++;
    forward(state, "contained");
    store(state, event);
  } else if(!pubsub_routing_fits(&state->stored, event->contributors)) {
    pubsub_counters.forward_frame++;
    forward(state, "frame");
    store(state, event);
  } else if(!merge(state, event)) {
    return false;
  }
  if(is_full(state)) {
    pubsub_counters.forward_full++;
    forward(state, "full");
  } else if(!pubsub_routing_fits(&state->stored, 1)) {
    pubsub_counters.forward_frame++;
    forward(state, "frame");
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
attach(struct pubsub_attribute *attribute, pubsub_subject_t subject)
{
  struct merge_attribute *state = (struct merge_attribute *)attribute;

  if(state->function == NULL || state->function->merge == NULL) {
    LOG_WARN("an attribute without a merge function\n");
    return false;
  }
  state->interceptor.subject = subject;
  if(!pubsub_routing_intercept(&state->interceptor)) {
    LOG_WARN("this topic has a merge function already\n");
    return false;
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static void
detach(struct pubsub_attribute *attribute)
{
  struct merge_attribute *state = (struct merge_attribute *)attribute;

  if(state->holds) {
    forward(state, "closed");
  }
  pubsub_routing_let_pass(&state->interceptor);
}
/*---------------------------------------------------------------------------*/
static const struct pubsub_attribute_type merge_attribute_type = {
  attach, detach
};
/*---------------------------------------------------------------------------*/
void
merge_attribute_init(struct merge_attribute *state,
                     const struct merge_function *function, uint8_t full_at)
{
  memset(state, 0, sizeof(*state));
  state->attribute.type = &merge_attribute_type;
  state->interceptor.intercept = intercept;
  state->function = function;
  state->timeout = MERGE_TIMEOUT;
  state->full_at = full_at;
}
/*---------------------------------------------------------------------------*/
void
merge_set_timeout(struct merge_attribute *state, clock_time_t timeout)
{
  if(timeout > LONGEST_TIMEOUT) {
    undone("sets a negative time-out");
    timeout = 0;
  }
  state->timeout = timeout;
  if(state->holds) {
    ctimer_set(&state->timer, timeout, timed_out, state);
  }
}
/*---------------------------------------------------------------------------*/
void
merge_wait_at_most(struct merge_attribute *state, clock_time_t time)
{
  if(time < (clock_time_t)(ctimer_expiration_time(&state->timer)
                           - clock_time())) {
    ctimer_set(&state->timer, time, timed_out, state);
  }
}
/*---------------------------------------------------------------------------*/
uint8_t
merge_pending(const struct merge_attribute *state)
{
  return state->holds ? state->stored.contributors : 0;
}
