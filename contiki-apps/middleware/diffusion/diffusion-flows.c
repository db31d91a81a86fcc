/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "diffusion-conf.h"
#include "diffusion-flows.h"
#include "pubsub-counters.h"

#include "sys/log.h"
#define LOG_MODULE "Diffusion"
#define LOG_LEVEL LOG_LEVEL_WARN

#define WINDOW 32

struct flow {
  uint8_t topic;
  uint8_t publisher; /* 0: unused */
  uint16_t newest;   /* sequence number */
  uint32_t seen;     /* bit n: newest - n */
  clock_time_t at;   /* of the last event */
};

static struct flow flows[DIFFUSION_MAX_FLOWS];
/*---------------------------------------------------------------------------*/
void
diffusion_flows_init(void)
{
  memset(flows, 0, sizeof(flows));
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
static struct flow *
flow_of(uint8_t topic, uint8_t publisher, uint16_t sequence)
{
  struct flow *free = NULL;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_FLOWS; i++) {
    if(is_free(&flows[i])) {
      free = &flows[i];
    } else if(flows[i].topic == topic && flows[i].publisher == publisher) {
      return &flows[i];
    }
  }
  if(free == NULL) {
    pubsub_counters.pool_exhausted++;
    LOG_WARN("no room for publisher %u, raise DIFFUSION_CONF_MAX_FLOWS\n",
             (unsigned)publisher);
    return NULL;
  }
  free->topic = topic;
  free->publisher = publisher;
  free->newest = sequence - 1;
  free->seen = 0;
  return free;
}
/*---------------------------------------------------------------------------*/
static bool
remember(uint8_t topic, uint8_t publisher, uint16_t sequence)
{
  struct flow *flow = flow_of(topic, publisher, sequence);
  int16_t ahead;
  uint32_t bit;

  if(flow == NULL) {
    return false;
  }
  flow->at = clock_time();
  ahead = (int16_t)(sequence - flow->newest);
  if(ahead > 0) {
    flow->seen = ahead < WINDOW ? flow->seen << ahead : 0;
    flow->seen |= 1;
    flow->newest = sequence;
    return true;
  }
  if(ahead <= -WINDOW) {
    return false;
  }
  bit = (uint32_t)1 << -ahead;
  if(flow->seen & bit) {
    return false;
  }
  flow->seen |= bit;
  return true;
}
/*---------------------------------------------------------------------------*/
bool
diffusion_flows_remember(uint8_t topic, const struct pubsub_event *event)
{
  bool any = false;
  unsigned i;

  for(i = 0; i < event->contributors; i++) {
    if(remember(topic, event->contributor[i].publisher,
                event->contributor[i].sequence)) {
      any = true;
    }
  }
  return any;
}
