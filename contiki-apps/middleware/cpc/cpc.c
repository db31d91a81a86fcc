/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "cpc.h"
#include "pubsub-routing.h"

struct cpc_counters cpc_counters;

static const struct cpc *reliable;
/*---------------------------------------------------------------------------*/
void
cpc_init(const struct cpc *component)
{
  reliable = component;
  memset(&cpc_counters, 0, sizeof(cpc_counters));
}
/*---------------------------------------------------------------------------*/
const struct cpc *
cpc_of(const struct pubsub_event *event)
{
  if(!(event->flags & PUBSUB_RELIABLE)) {
    return &cpc_unreliable;
  }
  if(reliable == NULL) {
    cpc_counters.cpc_not_linked++;
    return &cpc_unreliable;
  }
  return reliable;
}
/*---------------------------------------------------------------------------*/
void
cpc_expect(const struct pubsub_event *event)
{
  if(event->flags & PUBSUB_RELIABLE && reliable != NULL && reliable->expect != NULL) {
    reliable->expect(event);
  }
}
/*---------------------------------------------------------------------------*/
void
cpc_heard(uint16_t neighbour, const struct pubsub_event *event)
{
  if(reliable != NULL && reliable->has != NULL) {
    reliable->has(neighbour, event);
  }
}
/*---------------------------------------------------------------------------*/
static void
flood(const uint8_t *frame, uint16_t length,
      const struct pubsub_event *event, uint16_t from)
{
  pubsub_routing_broadcast(frame, length);
}
/*---------------------------------------------------------------------------*/
const struct cpc cpc_unreliable = {
  "UnreliableCPC", pubsub_routing_broadcast, flood, NULL, NULL
};
