/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving side of the MAC: it delivers frames and acknowledges them. */
#include "net/mac/csma/csma.h"

#include "net/mac/csma/csma-output.h"
#include "net/mac/framer/frame802154.h"
#include "net/mac/mac-radio.h"
#include "net/mac/mac-sequence.h"
#include "net/packetbuf.h"

#define LOG_MODULE "CSMA"
#define LOG_LEVEL LOG_LEVEL_MAC
#include "sys/log.h"

static void
acknowledge(void)
{
  uint8_t seqno = (uint8_t)packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO);
  uint8_t ack[CSMA_ACK_LEN] = { FRAME802154_ACKFRAME, 0, seqno };

  NETSTACK_RADIO.send(ack, sizeof(ack));
}

static bool
is_for_us(void)
{
  return packetbuf_holds_broadcast() ||
    linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_RECEIVER), &linkaddr_node_addr);
}

static void
input(void)
{
  if(packetbuf_datalen() == CSMA_ACK_LEN) {
    LOG_DBG("an ACK that nobody waits for\n");
    return;
  }
  if(NETSTACK_FRAMER.parse() < 0) {
    LOG_ERR("%u bytes are no frame\n", packetbuf_datalen());
    return;
  }
  if(packetbuf_attr(PACKETBUF_ATTR_FRAME_TYPE) != FRAME802154_DATAFRAME || !is_for_us() ||
     linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_SENDER), &linkaddr_node_addr)) {
    LOG_DBG("not for us\n");
    return;
  }
  bool duplicate = mac_sequence_is_duplicate();
  if(!duplicate) {
    mac_sequence_register_seqno();
  }
  /* A repeated frame means that its ACK was lost. */
  if(CSMA_SEND_SOFT_ACK && packetbuf_attr(PACKETBUF_ATTR_MAC_ACK)) {
    acknowledge();
  }
  if(duplicate) {
    LOG_WARN("a duplicate\n");
    return;
  }
  NETSTACK_NETWORK.input();
}

static void
init(void)
{
  mac_sequence_init();
  csma_output_init();
  mac_radio_on();
}

const struct mac_driver csma_driver = {
  "CSMA", init, csma_output_packet, input, mac_radio_on, mac_radio_off, mac_radio_max_payload
};
