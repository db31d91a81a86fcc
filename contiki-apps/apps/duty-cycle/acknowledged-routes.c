/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "acknowledged-routes.h"
#include "configured-routes.h"
#include "pubsub-counters.h"
#include "pubsub-link.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"

uint32_t acknowledged_routes_transmissions;
/*---------------------------------------------------------------------------*/
/* Called when the MAC is done with a frame. One that nobody acknowledged is not sent
   again. */
static void
done(const uint8_t *frame, uint16_t length, const char *reason,
     unsigned transmissions)
{
  acknowledged_routes_transmissions += transmissions;
  if(reason != NULL) {
    PUBSUB_OBSERVE(dropped, reason, pubsub_routing_self(),
                   pubsub_get16(frame + PUBSUB_FRAME_NUMBER_AT));
  }
}
/*---------------------------------------------------------------------------*/
static void
send(const struct pubsub_event *event, uint16_t from)
{
  static const uint8_t nothing;
  uint16_t parent = configured_routes_parent();
  linkaddr_t address;
  uint8_t frame[PUBSUB_FRAME_SIZE];
  uint16_t size = pubsub_routing_frame(frame, PUBSUB_FRAME_ACKNOWLEDGED_EVENT, parent,
                                       &nothing, 0, event, 0);

  /* On Cooja a mote's address is its id. */
  memset(&address, 0, sizeof(address));
  address.u8[0] = parent & 0xff;
  address.u8[1] = parent >> 8;
  if(size > 0) {
    pubsub_link_send_to(&address, frame, size, done);
  }
}
/*---------------------------------------------------------------------------*/
static bool
overhear(uint16_t from, uint16_t next_hop, uint16_t number,
         const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;

  if(next_hop != pubsub_routing_self()
     || !configured_routes.is_neighbour(from)) {
    pubsub_counters.packets_off_topology++;
    PUBSUB_OBSERVE(dropped, "off-topology", from, number);
    return true;
  }
  if(!pubsub_event_decode(&event, body, length)) {
    return false;
  }
  pubsub_routing_input(NULL, &event, from, number);
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
is_neighbour(uint16_t mote)
{
  return configured_routes.is_neighbour(mote);
}
/*---------------------------------------------------------------------------*/
static uint16_t
next_hop(const struct pubsub_event *event, uint16_t from)
{
  return configured_routes_parent() == PUBSUB_NOBODY ? PUBSUB_NOBODY
                                                     : PUBSUB_SEVERAL;
}
/*---------------------------------------------------------------------------*/
void
acknowledged_routes_init(void)
{
  static const struct pubsub_routing_driver routes = {
    "acknowledged", is_neighbour, next_hop, NULL, send
  };
  static struct pubsub_protocol protocol = {
    NULL, PUBSUB_FRAME_ACKNOWLEDGED_EVENT, NULL, overhear
  };

  pubsub_routing_use(&routes);
  pubsub_routing_add_protocol(&protocol);
}
