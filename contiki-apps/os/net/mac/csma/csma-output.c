/* SPDX-License-Identifier: Apache-2.0 */
/* Sends frames by CSMA/CA: they wait in a queue for each neighbor. The first of each is sent after a
   random backoff if the channel is clear then, and again after another backoff
   if it isn't, or if no ACK comes. */
#include "net/mac/csma/csma-output.h"

#include "lib/list.h"
#include "lib/memb.h"
#include "lib/random.h"
#include "net/mac/csma/csma.h"
#include "net/mac/framer/frame802154.h"
#include "net/mac/mac-sequence.h"
#include "net/packetbuf.h"
#include "net/queuebuf.h"

#define LOG_MODULE "CSMA"
#define LOG_LEVEL LOG_LEVEL_MAC
#include "sys/log.h"

/* A frame that waits. */
struct packet_queue {
  struct packet_queue *next;
  struct queuebuf *buf;
  mac_callback_t sent;
  void *ptr;
  uint8_t max_transmissions;
};

/* The frames for one neighbor, or for all of them. */
struct neighbor_queue {
  struct neighbor_queue *next;
  linkaddr_t addr;
  struct ctimer transmit_timer;
  uint8_t transmissions; /* of the first frame, so far */
  uint8_t collisions;    /* times the channel was busy, since the last one (NB) */
  LIST_STRUCT(packet_queue);
};

MEMB(neighbor_memb, struct neighbor_queue, CSMA_MAX_NEIGHBOR_QUEUES);
MEMB(packet_memb, struct packet_queue, QUEUEBUF_NUM);
LIST(neighbor_list);

void
csma_output_init(void)
{
  memb_init(&neighbor_memb);
  memb_init(&packet_memb);
  list_init(neighbor_list);
}

static int
wait_for_ack(uint8_t seqno)
{
  uint8_t ack[CSMA_ACK_LEN];

  RTIMER_BUSYWAIT_UNTIL(NETSTACK_RADIO.pending_packet(), CSMA_ACK_WAIT_TIME);
  if(NETSTACK_RADIO.receiving_packet()) {
    RTIMER_BUSYWAIT_UNTIL(NETSTACK_RADIO.pending_packet(),
                          CSMA_AFTER_ACK_DETECTED_WAIT_TIME);
  }
  if(!NETSTACK_RADIO.pending_packet()) {
    return MAC_TX_NOACK;
  }
  /* Any other frame is lost: the driver has one buffer. */
  if(NETSTACK_RADIO.read(ack, sizeof(ack)) == CSMA_ACK_LEN &&
     (ack[0] & 7) == FRAME802154_ACKFRAME && ack[2] == seqno) {
    return MAC_TX_OK;
  }
  return MAC_TX_COLLISION;
}

/* The packet buffer's frame, once. */
static int
send_one_packet(void)
{
  bool to_all = packetbuf_holds_broadcast();
  uint8_t seqno = (uint8_t)packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO);

  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &linkaddr_node_addr);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_ACK, 1);
  if(NETSTACK_FRAMER.create() < 0) {
    return MAC_TX_ERR_FATAL;
  }
  /* An unread frame would be taken for the ACK. */
  if(NETSTACK_RADIO.receiving_packet() ||
     (!to_all && NETSTACK_RADIO.pending_packet())) {
    return MAC_TX_COLLISION;
  }
  NETSTACK_RADIO.prepare(packetbuf_hdrptr(), packetbuf_totlen());
  switch(NETSTACK_RADIO.transmit(packetbuf_totlen())) {
  case RADIO_TX_OK:
    return to_all ? MAC_TX_OK : wait_for_ack(seqno);
  case RADIO_TX_COLLISION:
    return MAC_TX_COLLISION;
  default:
    return MAC_TX_ERR;
  }
}

static void transmit_from_queue(void *ptr);

static void
schedule_transmission(struct neighbor_queue *n)
{
  int exponent = MIN(n->collisions + CSMA_MIN_BE, CSMA_MAX_BE);
  clock_time_t most = (clock_time_t)((1 << exponent) - 1) * CSMA_BACKOFF_PERIOD;
  clock_time_t ticks = most > 0 ? random_rand() % most : 0;

  LOG_DBG("backoff of %lu ticks, NB %u, BE %d\n", (unsigned long)ticks, n->collisions,
          exponent);
  ctimer_set(&n->transmit_timer, ticks, transmit_from_queue, n);
}

/* The first frame is done with, whether it was acknowledged or not. */
static void
tx_done(struct neighbor_queue *n, struct packet_queue *frame, int status)
{
  mac_callback_t sent = frame->sent;
  void *ptr = frame->ptr;
  int transmissions = n->transmissions;

  LOG_INFO("to ");
  LOG_INFO_LLADDR(&n->addr);
  LOG_INFO_(": status %d after %d transmissions\n", status, transmissions);
  list_remove(n->packet_queue, frame);
  queuebuf_free(frame->buf);
  memb_free(&packet_memb, frame);
  n->transmissions = 0;
  n->collisions = 0;
  if(list_head(n->packet_queue) != NULL) {
    schedule_transmission(n);
  } else {
    list_remove(neighbor_list, n);
    memb_free(&neighbor_memb, n);
  }
  mac_call_sent_callback(sent, ptr, status, transmissions);
}

static void
transmit_from_queue(void *ptr)
{
  struct neighbor_queue *n = ptr;
  struct packet_queue *frame = list_head(n->packet_queue);
  int status;

  queuebuf_to_packetbuf(frame->buf);
  status = send_one_packet();
  if(status == MAC_TX_OK || status == MAC_TX_NOACK) {
    n->transmissions++;
    n->collisions = 0;
  } else if(status == MAC_TX_COLLISION && ++n->collisions > CSMA_MAX_BACKOFF) {
    /* A channel access failure counts as one try. */
    n->transmissions++;
    n->collisions = 0;
  }
  if((status == MAC_TX_NOACK || status == MAC_TX_COLLISION) &&
     n->transmissions < frame->max_transmissions) {
    schedule_transmission(n);
  } else {
    tx_done(n, frame, status);
  }
}

static struct neighbor_queue *
neighbor_queue_from_addr(const linkaddr_t *addr)
{
  struct neighbor_queue *n = list_head(neighbor_list);

  while(n != NULL && !linkaddr_cmp(&n->addr, addr)) {
    n = list_item_next(n);
  }
  return n;
}

static struct neighbor_queue *
neighbor_queue_new(const linkaddr_t *addr)
{
  struct neighbor_queue *n = memb_alloc(&neighbor_memb);

  if(n != NULL) {
    linkaddr_copy(&n->addr, addr);
    n->transmissions = 0;
    n->collisions = 0;
    LIST_STRUCT_INIT(n, packet_queue);
    list_add(neighbor_list, n);
  }
  return n;
}

static struct packet_queue *
packet_queue_new(void)
{
  struct packet_queue *frame = memb_alloc(&packet_memb);

  if(frame == NULL) {
    return NULL;
  }
  frame->buf = queuebuf_new_from_packetbuf();
  if(frame->buf == NULL) {
    memb_free(&packet_memb, frame);
    return NULL;
  }
  frame->max_transmissions = (uint8_t)packetbuf_attr(PACKETBUF_ATTR_MAX_MAC_TRANSMISSIONS);
  if(frame->max_transmissions == 0) {
    frame->max_transmissions = 1 + (packetbuf_holds_broadcast() ?
      CSMA_MAX_BROADCAST_RETRIES : CSMA_MAX_FRAME_RETRIES);
  }
  return frame;
}

void
csma_output_packet(mac_callback_t sent, void *ptr)
{
  const linkaddr_t *addr = packetbuf_addr(PACKETBUF_ADDR_RECEIVER);
  struct neighbor_queue *n = neighbor_queue_from_addr(addr);
  struct packet_queue *frame = NULL;

  mac_sequence_set_dsn();
  packetbuf_set_attr(PACKETBUF_ATTR_FRAME_TYPE, FRAME802154_DATAFRAME);
  if(n == NULL) {
    n = neighbor_queue_new(addr);
  }
  if(n != NULL && list_length(n->packet_queue) < CSMA_MAX_PACKET_PER_NEIGHBOR) {
    frame = packet_queue_new();
  }
  if(frame == NULL) {
    LOG_WARN("queue full\n");
    if(n != NULL && list_head(n->packet_queue) == NULL) {
      list_remove(neighbor_list, n);
      memb_free(&neighbor_memb, n);
    }
    mac_call_sent_callback(sent, ptr, MAC_TX_QUEUE_FULL, 1);
    return;
  }
  frame->sent = sent;
  frame->ptr = ptr;
  list_add(n->packet_queue, frame);
  if(list_head(n->packet_queue) == frame) {
    schedule_transmission(n);
  }
}
