/* SPDX-License-Identifier: Apache-2.0 */
/* The link on the embedded Contiki's packet buffer, above a MAC that says what the test wants. Compiled for CSMA, and
   for a MAC that contends for nothing. */
#include "contiki.h"
#include "dev/cooja-radio.h"
#include "net/mac/framer/framer-802154.h"
#include "net/netstack.h"
#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"
#include "pubsub-counters.h"
#include "pubsub-link.h"

#include "../host/check.h"

struct pubsub_counters pubsub_counters;

static nullnet_input_callback link_gets;
static cooja_radio_filter_t *radio_asks;
static mac_callback_t mac_tells;
static void *mac_tells_it;

void nullnet_set_input_callback(nullnet_input_callback callback) { link_gets = callback; }
void cooja_radio_set_filter(cooja_radio_filter_t *filter) { radio_asks = filter; }
int framer_802154_to_all(const uint8_t *frame, unsigned length) { return length > 5 && frame[0] == 0x41 ? 5 : 0; }
static void mac_send(mac_callback_t sent, void *ptr) { mac_tells = sent; mac_tells_it = ptr; }
const struct mac_driver NETSTACK_MAC = { "test", NULL, mac_send, NULL, NULL, NULL, NULL };

static const char *const frame = "frame";
static unsigned arrived, told;
static const char *reason;
static unsigned transmissions;
/*---------------------------------------------------------------------------*/
static void
arrive(const uint8_t *bytes, uint16_t length)
{
  CHECK(length == 5 && memcmp(bytes, frame, 5) == 0);
  CHECK_EQUAL(pubsub_link_sender()->u8[0], 6);
  arrived++;
}

static void
sent(uint16_t number, const char *said)
{
  CHECK_EQUAL(number, 0xfedc);
  reason = said;
  told++;
}

static void
done(const uint8_t *bytes, uint16_t length, const char *said, unsigned times)
{
  CHECK(length == 5 && memcmp(bytes, frame, 5) == 0);
  reason = said;
  transmissions = times;
  told++;
}
/*---------------------------------------------------------------------------*/
/* Returns what the link says of a status; "-" for nothing. */
static const char *
said_of(int status)
{
  unsigned before = told;

  reason = "-";
  mac_tells(mac_tells_it, status, 3);
  CHECK_EQUAL(told - before, reason == NULL || strcmp(reason, "-") != 0);
  return reason == NULL ? "out" : reason;
}

static void
check_counters(unsigned out, unsigned access, unsigned collision, unsigned queue)
{
  CHECK_EQUAL(pubsub_counters.mac_sent, out);
  CHECK_EQUAL(pubsub_counters.mac_channel_access_failure, access);
  CHECK_EQUAL(pubsub_counters.mac_collision, collision);
  CHECK_EQUAL(pubsub_counters.queue_dropped, queue);
}

/* `not_acknowledged`: what the link says then. */
static void
check_verdicts(const char *not_acknowledged)
{
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  CHECK(strcmp(said_of(MAC_TX_DEFERRED), "-") == 0);
  check_counters(0, 0, 0, 0);
  CHECK(strcmp(said_of(MAC_TX_OK), "out") == 0);
  CHECK(strcmp(said_of(MAC_TX_NOACK), not_acknowledged) == 0);
  check_counters(2, 0, 0, 0);
#if MAC_CONF_WITH_CSMA
  CHECK(strcmp(said_of(MAC_TX_COLLISION), "channel-access") == 0);
  check_counters(2, 1, 0, 0);
#else
  CHECK(strcmp(said_of(MAC_TX_COLLISION), "collision") == 0);
  check_counters(2, 0, 1, 0);
#endif
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  CHECK(strcmp(said_of(MAC_TX_QUEUE_FULL), "queue") == 0);
  check_counters(0, 0, 0, 1);
  CHECK(strcmp(said_of(MAC_TX_ERR), "collision") == 0);
  CHECK(strcmp(said_of(MAC_TX_ERR_FATAL), "collision") == 0);
  check_counters(0, 0, 2, 1);
}
/*---------------------------------------------------------------------------*/
static void
check_packet(uint8_t receiver, unsigned most)
{
  CHECK(packetbuf_datalen() == 5 && memcmp(packetbuf_dataptr(), frame, 5) == 0);
  CHECK_EQUAL(packetbuf_addr(PACKETBUF_ADDR_RECEIVER)->u8[0], receiver);
  CHECK(linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_SENDER), &linkaddr_node_addr));
  CHECK_EQUAL(packetbuf_attr(PACKETBUF_ATTR_MAX_MAC_TRANSMISSIONS), most);
  CHECK_EQUAL(packetbuf_attr(PACKETBUF_ATTR_CHANNEL), 0); /* nothing is left of the packet before */
}
/*---------------------------------------------------------------------------*/
static bool
of_five(const uint8_t *bytes, uint16_t length)
{
  return length == 5 && memcmp(bytes, frame, 5) == 0;
}

int
main(void)
{
  linkaddr_t self = { { 4 } }, other = { { 6 } };
  const uint8_t *bytes = (const uint8_t *)frame;

  linkaddr_set_node_addr(&self);
  pubsub_link_init(arrive);
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &other);
  link_gets(frame, 5, &other, &linkaddr_null);
  CHECK_EQUAL(arrived, 1);

  /* A frame to all is sent once, whatever the MAC's default. */
  packetbuf_set_attr(PACKETBUF_ATTR_CHANNEL, 11);
  pubsub_link_send(bytes, 5, 0xfedc, sent);
  check_packet(0, 1);
  check_verdicts("out");

  /* A frame to one mote is sent as often as the MAC decides, and its sender hears of a missing ACK. */
  packetbuf_set_attr(PACKETBUF_ATTR_CHANNEL, 11);
  pubsub_link_send_to(&other, bytes, 5, done);
  check_packet(6, 0);
  check_verdicts(PUBSUB_LINK_NO_ACK);
  CHECK_EQUAL(transmissions, 3);

  pubsub_link_send(bytes, 5, 1, NULL); /* a sender that doesn't ask isn't told */
  mac_tells(mac_tells_it, MAC_TX_OK, 1);

  /* The filter sees what follows the header of frames to all. */
  PUBSUB_LINK_FILTER(of_five);
  CHECK(radio_asks((const uint8_t *)"A....frame", 10));
  CHECK(!radio_asks((const uint8_t *)"A....other", 10));
  CHECK(!radio_asks((const uint8_t *)"a....frame", 10));
  return 0;
}
