/* SPDX-License-Identifier: Apache-2.0 */
/* CSMA's receiving side: mote 1 puts frames of its own making on the air, mote 2 says what came up to it, and mote 1
   what was answered. IEEE 802.15.4-2006, 7.2 (frame formats), 7.5.6.2 (reception and rejection), 7.5.6.4
   (acknowledgement); of 2015, table 7-2 (PAN ID compression). */
#include "drawn-numbers.h"
#include "raw-radio.h"

#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"

#define STEP_MS 40
#define ANSWER_US 6000

static const struct {
  const char *what, *hex;
} frames[] = {
  { "to all, 2006, compressed", "41d8 01 cdab ffff 0000000000000009 aa" },
  { "to all, 2003", "41c8 02 cdab ffff 0000000000000009 aabb" },
  { "to all, an ACK asked for", "61d8 03 cdab ffff 0000000000000009 aa" },
  { "to one, an ACK asked for", "61dc 04 cdab 0000000000000002 0000000000000009 0102" },
  { "the same again", "61dc 04 cdab 0000000000000002 0000000000000009 0102" },
  { "the next", "61dc 05 cdab 0000000000000002 0000000000000009 0102" },
  { "the one before, no longer remembered", "61dc 04 cdab 0000000000000002 0000000000000009 0102" },
  { "of another sender with that number", "61dc 04 cdab 0000000000000002 0000000000000109 0102" },
  { "no ACK asked for", "41dc 06 cdab 0000000000000002 0000000000000009 03" },
  { "no ACK asked for, again", "41dc 06 cdab 0000000000000002 0000000000000009 03" },
  { "number 255", "61dc ff cdab 0000000000000002 0000000000000009 03" },
  { "number 0", "61dc 00 cdab 0000000000000002 0000000000000009 03" },
  { "without payload", "61dc 07 cdab 0000000000000002 0000000000000009" },
  { "frame pending", "71dc 08 cdab 0000000000000002 0000000000000009 04" },
  { "for mote 3", "61dc 09 cdab 0000000000000003 0000000000000009 04" },
  { "for 0002 behind other bytes", "61dc 09 cdab 0100000000000002 0000000000000009 04" },
  { "to all by a long address", "61dc 0a cdab ffffffffffffffff 0000000000000009 04" },
  { "to all but one byte", "61dc 0b cdab ffffffffffffff02 0000000000000009 04" },
  { "from mote 2 itself", "61dc 0c cdab 0000000000000002 0000000000000002 04" },
  { "from mote 2 itself, to all", "41d8 0c cdab ffff 0000000000000002 04" },
  { "a foreign PAN", "61dc 0d ceab 0000000000000002 0000000000000009 05" },
  { "a PAN whose other byte is foreign", "61dc 0d cdaa 0000000000000002 0000000000000009 05" },
  { "a foreign PAN, to all", "41d8 0d ceab ffff 0000000000000009 05" },
  { "the broadcast PAN", "61dc 0e ffff 0000000000000002 0000000000000009 05" },
  { "the broadcast PAN, to all", "41d8 0f ffff ffff 0000000000000009 05" },
  { "both PAN ids, the same", "21dc 10 cdab 0000000000000002 cdab 0000000000000009 06" },
  { "both PAN ids, from a foreign one", "21dc 11 cdab 0000000000000002 ceab 0000000000000009 06" },
  { "both PAN ids, to a foreign one", "21dc 12 ceab 0000000000000002 cdab 0000000000000009 06" },
  { "both PAN ids, to all", "01d8 13 cdab ffff cdab 0000000000000009 06" },
  { "to all from a short address", "4198 14 cdab ffff 0900 07" },
  { "to one from a short address", "619c 15 cdab 0000000000000002 0900 07" },
  { "to a short address that is mote 2's", "6198 16 cdab 0200 0900 07" },
  { "to a short address that is not", "6198 17 cdab 0002 0900 07" },
  { "without a receiver", "01d0 18 cdab 0000000000000009 08" },
  { "without a receiver, from a foreign PAN", "01d0 19 ceab 0000000000000009 08" },
  { "without a sender", "211c 1a cdab 0000000000000002 09" },
  { "without a sender, again", "211c 1a cdab 0000000000000002 09" },
  { "without a sender, to a foreign PAN", "211c 1b ceab 0000000000000002 09" },
  { "2015, long addresses, compressed: no PAN id", "61ec 1c 0000000000000002 0000000000000009 0a" },
  { "2015, long addresses: one PAN id", "21ec 1d cdab 0000000000000002 0000000000000009 0a" },
  { "2015, long addresses: a foreign PAN", "21ec 1e ceab 0000000000000002 0000000000000009 0a" },
  { "2015, to all, compressed: one PAN id", "41e8 1f cdab ffff 0000000000000009 0a" },
  { "2015, to all: two PAN ids", "01e8 20 cdab ffff ceab 0000000000000009 0a" },
  { "2015, to all: two PAN ids, foreign", "01e8 20 ceab ffff cdab 0000000000000009 0a" },
  { "2015, to all, without a number", "41e9 cdab ffff 0000000000000009 0a" },
  { "2015, to all, without a number, again", "41e9 cdab ffff 0000000000000009 0a" },
  { "an ACK that nobody waits for", "0200 04" },
  { "another frame of three bytes", "41d8 21" },
  { "one byte", "41" },
};

PROCESS(recorded_process, "Recorded");
AUTOSTART_PROCESSES(&recorded_process);

static struct etimer timer;

static void
heard(const void *data, uint16_t length, const linkaddr_t *from, const linkaddr_t *to)
{
  radio_value_t rssi = 0, lqi = 0;

  NETSTACK_RADIO.get_value(RADIO_PARAM_LAST_RSSI, &rssi);
  NETSTACK_RADIO.get_value(RADIO_PARAM_LAST_LINK_QUALITY, &lqi);
  printf("heard number %u, ACK %u, rssi %d %d, lqi %d %u, ", packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO),
         packetbuf_attr(PACKETBUF_ATTR_MAC_ACK), (int16_t)packetbuf_attr(PACKETBUF_ATTR_RSSI), (int)rssi,
         (int)lqi, packetbuf_attr(PACKETBUF_ATTR_LINK_QUALITY));
  raw_radio_print("from", from->u8, LINKADDR_SIZE);
  raw_radio_print("  to", to->u8, LINKADDR_SIZE);
  raw_radio_print("  data", data, length);
}

static void
put(const char *what, const uint8_t *frame, unsigned short length)
{
  uint8_t answer[128];
  int size;

  printf("%s: %d\n", what, NETSTACK_RADIO.send(frame, length));
  size = raw_radio_read(answer, sizeof(answer), ANSWER_US);
  if(size > 0) {
    raw_radio_print("  answered", answer, size);
  }
}

/* Sends a frame to mote 2 from a sender with that number. */
static void
put_from(uint8_t sender, uint8_t number)
{
  uint8_t frame[32] = { 0 };
  unsigned short length = raw_radio_bytes("61dc 00 cdab 0000000000000002 0000000000000000 0b", frame);

  frame[2] = number;
  frame[19] = 7;
  frame[20] = sender;
  printf("sender %u, ", sender);
  put("number again or new", frame, length);
}

PROCESS_THREAD(recorded_process, ev, data)
{
  static clock_time_t start;
  static unsigned i;
  static uint8_t bytes[128];

  PROCESS_BEGIN();
  if(linkaddr_node_addr.u8[0] != 1) {
    nullnet_set_input_callback(heard);
    PROCESS_EXIT();
  }
  raw_radio_begin();
  etimer_set(&timer, 100);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  for(i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
    put(frames[i].what, bytes, raw_radio_bytes(frames[i].hex, bytes));
    etimer_set(&timer, STEP_MS);
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  }

  /* A number is remembered for exactly 20 s: senders 201 and 202. */
  start = clock_time();
  etimer_set(&timer, 0);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  put_from(201, 1);
  etimer_set(&timer, start + 100 - clock_time());
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  put_from(202, 1);
  etimer_set(&timer, start + 20000 - clock_time());
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  put_from(201, 1);
  etimer_set(&timer, start + 100 + 20001 - clock_time());
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  put_from(202, 1);

  /* Numbers of 16 senders are remembered; the seventeenth replaces the one that was silent longest. */
  for(i = 0; i < 24; i++) {
    static const uint8_t again[] = { 0, 16, 0, 2, 1, 4, 3, 15 };

    etimer_set(&timer, STEP_MS);
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
    put_from(i < 16 ? (uint8_t)i : again[i - 16], 9);
  }
  printf("end\n");
  PROCESS_END();
}
