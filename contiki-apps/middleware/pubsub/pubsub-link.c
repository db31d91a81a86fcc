/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "net/netstack.h"
#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"
#include "pubsub-counters.h"
#include "pubsub-link.h"

static void (*link_input)(const uint8_t *frame, uint16_t length);
static void (*link_sent)(uint16_t number, const char *reason);
/*---------------------------------------------------------------------------*/
static void
input(const void *data, uint16_t length,
      const linkaddr_t *source, const linkaddr_t *destination)
{
  link_input(data, length);
}
/*---------------------------------------------------------------------------*/
static void
sent(void *number, int status, int transmissions)
{
  const char *reason = NULL;

  switch(status) {
  case MAC_TX_DEFERRED:
    return;
  case MAC_TX_OK:
  case MAC_TX_NOACK:
    pubsub_counters.mac_sent++;
    break;
  case MAC_TX_COLLISION:
#if MAC_CONF_WITH_CSMA
    /* CSMA reports this after the last of its back-offs. */
    pubsub_counters.mac_channel_access_failure++;
    reason = "channel-access";
#else
    pubsub_counters.mac_collision++;
    reason = "collision";
#endif
    break;
  case MAC_TX_QUEUE_FULL:
    pubsub_counters.queue_dropped++;
    reason = "queue";
    break;
  default:
    pubsub_counters.mac_collision++;
    reason = "collision";
    break;
  }
  if(link_sent != NULL) {
    link_sent((uint16_t)(uintptr_t)number, reason);
  }
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_init(void (*callback)(const uint8_t *frame, uint16_t length))
{
  link_input = callback;
  nullnet_set_input_callback(input);
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_send(const uint8_t *frame, uint16_t length, uint16_t number,
                 void (*callback)(uint16_t number, const char *reason))
{
  link_sent = callback;
  packetbuf_clear();
  packetbuf_copyfrom(frame, length);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, &linkaddr_null);
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &linkaddr_node_addr);
  packetbuf_set_attr(PACKETBUF_ATTR_MAX_MAC_TRANSMISSIONS, 1);
  NETSTACK_MAC.send(sent, (void *)(uintptr_t)number);
}
