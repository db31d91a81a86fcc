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
/* Counts what the MAC says of a frame and returns the reason why it was not
   transmitted, or NULL. */
static const char *
verdict(int status)
{
  switch(status) {
  case MAC_TX_OK:
  case MAC_TX_NOACK:
    pubsub_counters.mac_sent++;
    return NULL;
  case MAC_TX_COLLISION:
#if MAC_CONF_WITH_CSMA || MAC_CONF_WITH_RADIO_CSMA
    /* CSMA reports this after the last of its back-offs. */
    pubsub_counters.mac_channel_access_failure++;
    return "channel-access";
#else
    pubsub_counters.mac_collision++;
    return "collision";
#endif
  case MAC_TX_QUEUE_FULL:
    pubsub_counters.queue_dropped++;
    return "queue";
  default:
    pubsub_counters.mac_collision++;
    return "collision";
  }
}
/*---------------------------------------------------------------------------*/
static void
sent(void *number, int status, int transmissions)
{
  const char *reason;

  if(status == MAC_TX_DEFERRED) {
    return;
  }
  reason = verdict(status);
  if(link_sent != NULL) {
    link_sent((uint16_t)(uintptr_t)number, reason);
  }
}
/*---------------------------------------------------------------------------*/
/* When the MAC is done with a frame, the frame is in the packet buffer. */
static void
sent_to(void *done, int status, int transmissions)
{
  const char *reason;

  if(status == MAC_TX_DEFERRED) {
    return;
  }
  reason = verdict(status);
  ((pubsub_link_done)done)(packetbuf_dataptr(), packetbuf_datalen(),
                           status == MAC_TX_NOACK ? PUBSUB_LINK_NO_ACK : reason,
                           transmissions);
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_init(void (*callback)(const uint8_t *frame, uint16_t length))
{
  link_input = callback;
#if MAC_CONF_WITH_RADIO_CSMA
  radio_csma_count_in(&pubsub_counters.radio);
#endif
  nullnet_set_input_callback(input);
}
/*---------------------------------------------------------------------------*/
const linkaddr_t *
pubsub_link_sender(void)
{
  return packetbuf_addr(PACKETBUF_ADDR_SENDER);
}
/*---------------------------------------------------------------------------*/
static void
load(const uint8_t *frame, uint16_t length, const linkaddr_t *receiver)
{
  packetbuf_clear();
  packetbuf_copyfrom(frame, length);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, receiver);
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &linkaddr_node_addr);
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_send(const uint8_t *frame, uint16_t length, uint16_t number,
                 void (*callback)(uint16_t number, const char *reason))
{
  link_sent = callback;
  load(frame, length, &linkaddr_null);
  packetbuf_set_attr(PACKETBUF_ATTR_MAX_MAC_TRANSMISSIONS, 1);
  NETSTACK_MAC.send(sent, (void *)(uintptr_t)number);
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_send_to(const linkaddr_t *receiver, const uint8_t *frame,
                    uint16_t length, pubsub_link_done done)
{
  load(frame, length, receiver);
  NETSTACK_MAC.send(sent_to, (void *)done);
}
