/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "configured-routes.h"
#include "pubsub-counters.h"

#include "sys/log.h"
#define LOG_MODULE "PubSub"
#define LOG_LEVEL LOG_LEVEL_WARN

static uint16_t neighbours[PUBSUB_MAX_NEIGHBOURS];
static uint8_t count;
static uint16_t parent, other_parent;
static pubsub_subject_t other_subject;
/*---------------------------------------------------------------------------*/
static bool
is_neighbour(uint16_t mote)
{
  unsigned i;

  for(i = 0; i < count; i++) {
    if(neighbours[i] == mote) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
static uint16_t
next_hop(const struct pubsub_event *event, uint16_t from)
{
  return other_parent != PUBSUB_NOBODY && event->subject == other_subject
    ? other_parent : parent;
}
/*---------------------------------------------------------------------------*/
void
configured_routes_set(uint16_t mote)
{
  count = 0;
  parent = mote;
  other_parent = PUBSUB_NOBODY;
}
/*---------------------------------------------------------------------------*/
void
configured_routes_set_for(pubsub_subject_t subject, uint16_t mote)
{
  other_subject = subject;
  other_parent = mote;
}
/*---------------------------------------------------------------------------*/
bool
configured_routes_add_neighbour(uint16_t mote)
{
  if(is_neighbour(mote)) {
    return true;
  }
  if(count == PUBSUB_MAX_NEIGHBOURS) {
    pubsub_counters.pool_exhausted++;
    LOG_WARN("no room for neighbour %u, raise PUBSUB_CONF_MAX_NEIGHBOURS\n",
             (unsigned)mote);
    return false;
  }
  neighbours[count++] = mote;
  return true;
}
/*---------------------------------------------------------------------------*/
uint16_t
configured_routes_parent(void)
{
  return parent;
}
/*---------------------------------------------------------------------------*/
const struct pubsub_routing_driver configured_routes = {
  "configured", is_neighbour, next_hop, NULL
};
