/* SPDX-License-Identifier: Apache-2.0 */
#include "net/mac/nullmac/nullmac.h"

#include "net/mac/framer/frame802154.h"
#include "net/mac/mac-sequence.h"
#include "net/netstack.h"
#include "net/packetbuf.h"

#ifndef NULLMAC_SEND_ON_CCA /* Contiki-NG's header of that name */
#define NULLMAC_SEND_ON_CCA 0
#endif

static int
transmit(void)
{
  if(NETSTACK_FRAMER.create() < 0) {
    return MAC_TX_ERR_FATAL;
  }
  NETSTACK_RADIO.prepare(packetbuf_hdrptr(), packetbuf_totlen());
  switch(NETSTACK_RADIO.transmit(packetbuf_totlen())) {
  case RADIO_TX_OK:
    return MAC_TX_OK;
  case RADIO_TX_COLLISION:
    return MAC_TX_COLLISION;
  default:
    return MAC_TX_ERR;
  }
}

static void
send(mac_callback_t sent, void *ptr)
{
  mac_sequence_set_dsn();
  packetbuf_set_attr(PACKETBUF_ATTR_FRAME_TYPE, FRAME802154_DATAFRAME);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_ACK, 0);
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &linkaddr_node_addr);
  mac_call_sent_callback(sent, ptr, transmit(), 1);
}

static void
input(void)
{
  if(NETSTACK_FRAMER.parse() < 0 ||
     packetbuf_attr(PACKETBUF_ATTR_FRAME_TYPE) != FRAME802154_DATAFRAME) {
    return;
  }
  if(packetbuf_holds_broadcast() ||
     linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_RECEIVER), &linkaddr_node_addr)) {
    NETSTACK_NETWORK.input();
  }
}

static int
on(void)
{
  return NETSTACK_RADIO.on();
}

static int
off(void)
{
  return NETSTACK_RADIO.off();
}

static void
init(void)
{
  mac_sequence_init();
  NETSTACK_RADIO.set_value(RADIO_PARAM_TX_MODE,
                           NULLMAC_SEND_ON_CCA ? RADIO_TX_MODE_SEND_ON_CCA : 0);
  on();
}

static int
max_payload(void)
{
  radio_value_t frame;

  if(NETSTACK_RADIO.get_value(RADIO_CONST_MAX_PAYLOAD_LEN, &frame) != RADIO_RESULT_OK) {
    return 0;
  }
  return MIN(frame, PACKETBUF_SIZE) - NETSTACK_FRAMER.length();
}

const struct mac_driver nullmac_driver = {
  "nullmac", init, send, input, on, off, max_payload
};
