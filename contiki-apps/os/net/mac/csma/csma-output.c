/* SPDX-License-Identifier: Apache-2.0 */
/* Frames wait in a queue for each receiver. The first of each is sent after a
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

struct waiting_frame {
  struct waiting_frame *next;
  struct queuebuf *packet;
  mac_callback_t sent;
  void *ptr;
  uint8_t max_transmissions;
};

struct receiver {
  struct receiver *next;
  linkaddr_t address;
  struct ctimer backoff;
  uint8_t transmissions; /* of the first frame, so far */
  uint8_t busy;          /* times the channel was, since the last one (NB) */
  LIST_STRUCT(frames);
};

MEMB(receiver_pool, struct receiver, CSMA_MAX_NEIGHBOR_QUEUES);
MEMB(frame_pool, struct waiting_frame, QUEUEBUF_NUM);
LIST(receivers);

void
csma_output_init(void)
{
  memb_init(&receiver_pool);
  memb_init(&frame_pool);
  list_init(receivers);
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
transmit(void)
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

static void send_first(void *ptr);

static void
back_off(struct receiver *to)
{
  int exponent = MIN(to->busy + CSMA_MIN_BE, CSMA_MAX_BE);
  clock_time_t most = (clock_time_t)((1 << exponent) - 1) * CSMA_BACKOFF_PERIOD;
  clock_time_t ticks = most > 0 ? random_rand() % most : 0;

  LOG_DBG("backoff of %lu ticks, NB %u, BE %d\n", (unsigned long)ticks, to->busy,
          exponent);
  ctimer_set(&to->backoff, ticks, send_first, to);
}

/* The first frame is through, one way or another. */
static void
finish(struct receiver *to, struct waiting_frame *frame, int status)
{
  mac_callback_t sent = frame->sent;
  void *ptr = frame->ptr;
  int transmissions = to->transmissions;

  LOG_INFO("to ");
  LOG_INFO_LLADDR(&to->address);
  LOG_INFO_(": status %d after %d transmissions\n", status, transmissions);
  list_remove(to->frames, frame);
  queuebuf_free(frame->packet);
  memb_free(&frame_pool, frame);
  to->transmissions = 0;
  to->busy = 0;
  if(list_head(to->frames) != NULL) {
    back_off(to);
  } else {
    list_remove(receivers, to);
    memb_free(&receiver_pool, to);
  }
  mac_call_sent_callback(sent, ptr, status, transmissions);
}

static void
send_first(void *ptr)
{
  struct receiver *to = ptr;
  struct waiting_frame *frame = list_head(to->frames);
  int status;

  queuebuf_to_packetbuf(frame->packet);
  status = transmit();
  if(status == MAC_TX_OK || status == MAC_TX_NOACK) {
    to->transmissions++;
    to->busy = 0;
  } else if(status == MAC_TX_COLLISION && ++to->busy > CSMA_MAX_BACKOFF) {
    /* Channel access failure: counts as one try. */
    to->transmissions++;
    to->busy = 0;
  }
  if((status == MAC_TX_NOACK || status == MAC_TX_COLLISION) &&
     to->transmissions < frame->max_transmissions) {
    back_off(to);
  } else {
    finish(to, frame, status);
  }
}

static struct receiver *
find_receiver(const linkaddr_t *address)
{
  struct receiver *to = list_head(receivers);

  while(to != NULL && !linkaddr_cmp(&to->address, address)) {
    to = list_item_next(to);
  }
  return to;
}

static struct receiver *
add_receiver(const linkaddr_t *address)
{
  struct receiver *to = memb_alloc(&receiver_pool);

  if(to != NULL) {
    linkaddr_copy(&to->address, address);
    to->transmissions = 0;
    to->busy = 0;
    LIST_STRUCT_INIT(to, frames);
    list_add(receivers, to);
  }
  return to;
}

static struct waiting_frame *
new_frame(void)
{
  struct waiting_frame *frame = memb_alloc(&frame_pool);

  if(frame == NULL) {
    return NULL;
  }
  frame->packet = queuebuf_new_from_packetbuf();
  if(frame->packet == NULL) {
    memb_free(&frame_pool, frame);
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
  const linkaddr_t *address = packetbuf_addr(PACKETBUF_ADDR_RECEIVER);
  struct receiver *to = find_receiver(address);
  struct waiting_frame *frame = NULL;

  mac_sequence_set_dsn();
  packetbuf_set_attr(PACKETBUF_ATTR_FRAME_TYPE, FRAME802154_DATAFRAME);
  if(to == NULL) {
    to = add_receiver(address);
  }
  if(to != NULL && list_length(to->frames) < CSMA_MAX_PACKET_PER_NEIGHBOR) {
    frame = new_frame();
  }
  if(frame == NULL) {
    LOG_WARN("queue full\n");
    if(to != NULL && list_head(to->frames) == NULL) {
      list_remove(receivers, to);
      memb_free(&receiver_pool, to);
    }
    mac_call_sent_callback(sent, ptr, MAC_TX_QUEUE_FULL, 1);
    return;
  }
  frame->sent = sent;
  frame->ptr = ptr;
  list_add(to->frames, frame);
  if(list_head(to->frames) == frame) {
    back_off(to);
  }
}
