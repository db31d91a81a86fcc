/* SPDX-License-Identifier: Apache-2.0 */
/* CSMA's sending side: mote 1 sends and says what became of each packet; mote 2 receives as usual; mote 3, without a MAC,
   prints the frames of its PAN that it hears and answers those that are for it as their first byte says; mote 4 keeps the channel
   busy at times. IEEE 802.15.4-2006, 7.5.1.4 (CSMA-CA), 7.5.6.4 (retransmissions). */
#include "drawn-numbers.h"
#include "raw-radio.h"

#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"

#define STEP 1000 /* ms */
#define SNIFFER 3
#define FOREIGN 0xce /* the lower byte of mote 4's PAN */
#define BUSY_FROM 20000 /* ms of mote 4's clock: before mote 1's step 20, which is a second later */
#define BUSY_MS 30000

PROCESS(recorded_process, "Recorded");
PROCESS(sniffer_process, "Sniffer");
PROCESS(busy_process, "Busy");
PROCESS(steps_process, "Steps");
AUTOSTART_PROCESSES(&recorded_process);

static int handed;

static void
heard(const void *data, uint16_t length, const linkaddr_t *from, const linkaddr_t *to)
{
  printf("heard %u bytes from %u to %u, number %u, %c\n", length, from->u8[0], to->u8[0],
         packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO), length > 0 ? *(const char *)data : ' ');
}

static void
sent(void *ptr, int status, int transmissions)
{
  printf("sent %d: status %d, %d transmissions, number %u, rssi %d\n", (int)(intptr_t)ptr, status, transmissions,
         packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO), (int16_t)packetbuf_attr(PACKETBUF_ATTR_RSSI));
}

/* Receiver 0 means all. `most` is the number of transmissions; 0 leaves it to CSMA. */
static void
hand_over(uint8_t receiver, char what, uint16_t length, uint16_t most)
{
  uint8_t payload[PACKETBUF_SIZE] = { (uint8_t)what };
  linkaddr_t to = { { receiver } };

  packetbuf_copyfrom(payload, length);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, &to);
  packetbuf_set_attr(PACKETBUF_ATTR_MAX_MAC_TRANSMISSIONS, most);
  printf("hand over %d to %u: %c, payload at most %d\n", ++handed, receiver, what, NETSTACK_MAC.max_payload());
  NETSTACK_MAC.send(sent, (void *)(intptr_t)handed);
}

static void
step(int number)
{
  switch(number) {
  case 1: hand_over(0, '-', 5, 0); break;
  case 2: hand_over(2, '-', 5, 0); break;
  case 3: /* two receivers' queues, in turn; a third has none */
    hand_over(2, '-', 5, 0);
    hand_over(0, '-', 5, 0);
    hand_over(2, '-', 6, 0);
    hand_over(0, '-', 6, 0);
    hand_over(77, '-', 6, 0);
    break;
  case 5: /* eight wait for one receiver; a ninth finds no room, nor does one to all */
    for(int i = 0; i < 9; i++) {
      hand_over(2, '-', 5, 0);
    }
    hand_over(0, '-', 5, 0);
    break;
  case 7: hand_over(77, '-', 5, 0); break; /* nobody is there */
  case 8: hand_over(77, '-', 5, 3); break;
  case 9: hand_over(SNIFFER, 'a', 5, 0); break;
  case 10: hand_over(SNIFFER, 'w', 5, 0); break;
  case 11: hand_over(SNIFFER, 'l', 5, 2); break;
  case 12: hand_over(SNIFFER, '4', 5, 0); break;
  case 13: hand_over(SNIFFER, 'e', 5, 2); break;
  case 14: hand_over(2, '-', 110, 0); break; /* no room for its header */
  case 15: hand_over(2, '-', 104, 0); break;
  case 16: hand_over(0, '-', 110, 0); break;
  case 17: /* the radio is off before and after */
    NETSTACK_MAC.off();
    hand_over(2, '-', 5, 2);
    hand_over(0, '-', 5, 0);
    break;
  case 18: NETSTACK_MAC.on(); break;
  case 20: hand_over(0, '-', 5, 0); break; /* the channel is busy now */
  case 30: hand_over(2, '-', 5, 2); break;
  case 34: hand_over(0, '-', 5, 1); break;
  case 52: hand_over(2, '-', 5, 0); break; /* and is clear again */
  }
}

/* The first byte of payload of a frame with mote 3's long address says how it is answered. */
static void
answer(const uint8_t *frame, int length)
{
  static uint8_t what;
  static int asked; /* how often for this */
  uint8_t ack[3] = { 2, 0, frame[2] }, other[4] = { 1, 0, frame[2], 'x' };

  if(length < 22 || (frame[0] & 0x20) == 0 || frame[12] != SNIFFER) {
    return;
  }
  asked = frame[21] == what ? asked + 1 : 1;
  what = frame[21];
  switch(what) {
  case 'a':
    NETSTACK_RADIO.send(ack, sizeof(ack));
    break;
  case 'w': /* the right number at the third time */
    ack[2] = (uint8_t)(frame[2] + (asked < 3));
    NETSTACK_RADIO.send(ack, sizeof(ack));
    break;
  case 'l': /* too late */
    RTIMER_BUSYWAIT(3 * (RTIMER_SECOND / 1000));
    NETSTACK_RADIO.send(ack, sizeof(ack));
    break;
  case '4': /* a frame of four bytes at first */
    if(asked < 3) {
      NETSTACK_RADIO.send(other, sizeof(other));
    } else {
      NETSTACK_RADIO.send(ack, sizeof(ack));
    }
    break;
  case 'e': /* it begins in time, and ends too late */
    RTIMER_BUSYWAIT(RTIMER_SECOND / 1000);
    NETSTACK_RADIO.send(ack, sizeof(ack));
    break;
  }
}

PROCESS_THREAD(sniffer_process, ev, data)
{
  static uint8_t frame[128];

  PROCESS_BEGIN();
  raw_radio_begin();
  while(1) {
    int length = raw_radio_read(frame, sizeof(frame), RTIMER_SECOND);
    if(length > 0 && !(length > 4 && frame[3] == FOREIGN)) {
      raw_radio_print("air", frame, MIN(length, 24));
      answer(frame, length);
    }
  }
  PROCESS_END();
}

/* Frames of a foreign PAN, with as little between them as the radio needs. */
PROCESS_THREAD(busy_process, ev, data)
{
  static struct etimer timer;
  static uint8_t frame[120] = { 0x41, 0xd8, 0, FOREIGN, 0xab, 0xff, 0xff };

  PROCESS_BEGIN();
  raw_radio_begin();
  etimer_set(&timer, BUSY_FROM);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  while(clock_time() < BUSY_FROM + BUSY_MS) {
    NETSTACK_RADIO.send(frame, sizeof(frame));
    frame[2]++;
    etimer_set(&timer, 1);
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  }
  PROCESS_END();
}

PROCESS_THREAD(steps_process, ev, data)
{
  static struct etimer timer;
  static int number;

  PROCESS_BEGIN();
  etimer_set(&timer, STEP);
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
    etimer_reset(&timer);
    step(number++);
  }
  PROCESS_END();
}

PROCESS_THREAD(recorded_process, ev, data)
{
  PROCESS_BEGIN();
  nullnet_set_input_callback(heard);
  switch(linkaddr_node_addr.u8[0]) {
  case 1: process_start(&steps_process, NULL); break;
  case SNIFFER: process_start(&sniffer_process, NULL); break;
  case 4: process_start(&busy_process, NULL); break;
  }
  PROCESS_END();
}
