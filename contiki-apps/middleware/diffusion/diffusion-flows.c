/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "diffusion-conf.h"
#include "diffusion-flows.h"
#include "pubsub-counters.h"
#include "pubsub-window.h"

#include "sys/log.h"
#define LOG_MODULE "Diffusion"
#define LOG_LEVEL LOG_LEVEL_WARN

struct flow {
  uint8_t topic;
  uint8_t publisher; /* 0: unused */
  uint16_t incarnation;
  struct pubsub_window numbers;
  clock_time_t at;   /* of the last event that was new */
};

struct passed {
  uint8_t topic;
  uint16_t from;                   /* of the first copy */
  struct pubsub_contributor first; /* publisher 0: unused */
  uint32_t subscribers;
};

static struct flow flows[DIFFUSION_MAX_FLOWS];
static struct passed passed[DIFFUSION_MAX_PASSED]; /* a ring */
static uint8_t passed_next;
/*---------------------------------------------------------------------------*/
void
diffusion_flows_init(void)
{
  memset(flows, 0, sizeof(flows));
  memset(passed, 0, sizeof(passed));
  passed_next = 0;
}
/*---------------------------------------------------------------------------*/
void
diffusion_flows_forget(uint8_t topic)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_FLOWS; i++) {
    if(flows[i].topic == topic) {
      flows[i].publisher = 0;
    }
  }
  for(i = 0; i < DIFFUSION_MAX_PASSED; i++) {
    if(passed[i].topic == topic) {
      passed[i].first.publisher = 0;
    }
  }
}
/*---------------------------------------------------------------------------*/
static bool
is_free(struct flow *flow)
{
  if(flow->publisher != 0
     && diffusion_has_come(flow->at + DIFFUSION_FLOW_LIFETIME)) {
    flow->publisher = 0;
  }
  return flow->publisher == 0;
}
/*---------------------------------------------------------------------------*/
/* Whether another incarnation of the publisher had a new event since then, or
   has one now. */
static bool
is_earlier(const struct flow *flow, uint8_t topic, uint8_t publisher)
{
  clock_time_t quiet = clock_time() - flow->at;
  unsigned i;

  if(flow->topic == topic && flow->publisher == publisher) {
    return true;
  }
  for(i = 0; i < DIFFUSION_MAX_FLOWS; i++) {
    if(flows[i].topic == flow->topic && flows[i].publisher == flow->publisher
       && (clock_time_t)(clock_time() - flows[i].at) < quiet) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
/* The flow that gives way to a new one of that publisher; NULL if none does. */
static struct flow *
least_missed(uint8_t topic, uint8_t publisher)
{
  struct flow *found = NULL;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_FLOWS; i++) {
    if(is_earlier(&flows[i], topic, publisher)
       && (found == NULL || (clock_time_t)(clock_time() - flows[i].at)
           > (clock_time_t)(clock_time() - found->at))) {
      found = &flows[i];
    }
  }
  return found;
}
/*---------------------------------------------------------------------------*/
static struct flow *
flow_of(uint8_t topic, const struct pubsub_contributor *event)
{
  struct flow *free = NULL;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_FLOWS; i++) {
    if(is_free(&flows[i])) {
      free = &flows[i];
    } else if(flows[i].topic == topic && flows[i].publisher == event->publisher
              && flows[i].incarnation == event->incarnation) {
      return &flows[i];
    }
  }
  if(free == NULL) {
    free = least_missed(topic, event->publisher);
  }
  if(free == NULL) {
    pubsub_counters.pool_exhausted++;
    LOG_WARN("no room for publisher %u, raise DIFFUSION_CONF_MAX_FLOWS\n",
             (unsigned)event->publisher);
    return NULL;
  }
  free->topic = topic;
  free->publisher = event->publisher;
  free->incarnation = event->incarnation;
  pubsub_window_begin(&free->numbers, event->sequence);
  return free;
}
/*---------------------------------------------------------------------------*/
/*
 * Rejected events don't keep a flow alive. Otherwise, if an incarnation were
 * drawn twice, its events would be rejected for as long as the publisher goes
 * on.
 */
static bool
remember(uint8_t topic, const struct pubsub_contributor *event)
{
  struct flow *flow = flow_of(topic, event);

  if(flow == NULL || !pubsub_window_enter(&flow->numbers, event->sequence)) {
    return false;
  }
  flow->at = clock_time();
  return true;
}
/*---------------------------------------------------------------------------*/
bool
diffusion_flows_remember(uint8_t topic, const struct pubsub_event *event)
{
  bool any = false;
  unsigned i;

  for(i = 0; i < event->contributors; i++) {
    if(remember(topic, &event->contributor[i])) {
      any = true;
    }
  }
  return any;
}
/*---------------------------------------------------------------------------*/
static struct passed *
find_passed(uint8_t topic, const struct pubsub_event *event)
{
  const struct pubsub_contributor *first = &event->contributor[0];
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_PASSED; i++) {
    if(passed[i].topic == topic && passed[i].first.publisher == first->publisher
       && passed[i].first.sequence == first->sequence
       && passed[i].first.incarnation == first->incarnation) {
      return &passed[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
uint32_t
diffusion_flows_pass(uint8_t topic, const struct pubsub_event *event,
                     uint16_t from, uint32_t subscribers, bool is_new)
{
  struct passed *p = find_passed(topic, event);

  if(p != NULL) {
    subscribers &= ~p->subscribers;
    p->subscribers |= subscribers;
    return subscribers;
  }
  if(!is_new) {
    return 0;
  }
  p = &passed[passed_next];
  passed_next = (passed_next + 1) % DIFFUSION_MAX_PASSED;
  p->topic = topic;
  p->from = from;
  p->first = event->contributor[0];
  p->subscribers = subscribers;
  return subscribers;
}
/*---------------------------------------------------------------------------*/
bool
diffusion_flows_circle(uint8_t topic, const struct pubsub_event *event,
                       uint16_t from)
{
  const struct passed *p = find_passed(topic, event);

  return p != NULL && p->from != from;
}
