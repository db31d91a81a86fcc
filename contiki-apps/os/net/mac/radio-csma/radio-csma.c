/* SPDX-License-Identifier: Apache-2.0 */
/* The part above the transceiver: it frames packets, one after the other, and has no queue. A packet that is handed
   over has been sent, or is lost, when send() returns. */
#include "net/mac/radio-csma/radio-csma.h"

#include "net/mac/framer/frame802154.h"
#include "net/mac/mac-radio.h"
#include "net/mac/mac-sequence.h"
#include "net/mac/radio-csma/rx-aack.h"
#include "net/mac/radio-csma/tx-aret.h"
#include "net/netstack.h"
#include "net/packetbuf.h"

static struct radio_csma_counters own_counters;
struct radio_csma_counters *radio_csma_counters = &own_counters;

void
radio_csma_count_in(struct radio_csma_counters *counters)
{
  radio_csma_counters = counters;
}

/* A frame to one mote asks for an ACK, as a Rime packet with PACKETBUF_ATTR_RELIABLE does; a broadcast frame never
   does. */
static void
send(mac_callback_t sent, void *ptr)
{
  int status, transmissions = 0;

  mac_sequence_set_dsn();
  packetbuf_set_attr(PACKETBUF_ATTR_FRAME_TYPE, FRAME802154_DATAFRAME);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_ACK, !packetbuf_holds_broadcast());
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &linkaddr_node_addr);
  status = NETSTACK_FRAMER.create() < 0 ? MAC_TX_ERR_FATAL :
    tx_aret(packetbuf_hdrptr(), packetbuf_totlen(), &transmissions);
  mac_call_sent_callback(sent, ptr, status, transmissions);
}

/* The transceiver has already checked type, PAN and address (rx-aack.c). */
static void
input(void)
{
  if(NETSTACK_FRAMER.parse() >= 0) {
    NETSTACK_NETWORK.input();
  }
}

static void
init(void)
{
  mac_sequence_init();
  rx_aack_init();
  mac_radio_on();
}

const struct mac_driver radio_csma_driver = {
  "radio-csma", init, send, input, mac_radio_on, mac_radio_off, mac_radio_max_payload
};
