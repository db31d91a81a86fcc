/* SPDX-License-Identifier: Apache-2.0 */
/* Makes packets into frames of IEEE 802.15.4 as Contiki-NG does: with the short broadcast address for
   all, long addresses otherwise, and one PAN id. */
#include "net/mac/framer/framer-802154.h"

#include <string.h>

#define LOG_MODULE "Frame 15.4"
#define LOG_LEVEL LOG_LEVEL_FRAMER
#include "sys/log.h"

#define OWN_ADDRESS_MODE                                                       \
  (LINKADDR_SIZE == 2 ? FRAME802154_SHORTADDRMODE : FRAME802154_LONGADDRMODE)

static void
describe(frame802154_t *frame)
{
  bool to_all = packetbuf_holds_broadcast();

  memset(frame, 0, sizeof(*frame));
  frame->fcf.sequence_number_suppression = to_all && FRAME802154_VERSION == FRAME802154_IEEE802154_2015;
  frame->fcf.frame_type = (uint8_t)packetbuf_attr(PACKETBUF_ATTR_FRAME_TYPE) & 7;
  frame->fcf.frame_version = FRAME802154_VERSION;
  frame->fcf.ack_required = !to_all && packetbuf_attr(PACKETBUF_ATTR_MAC_ACK);
  frame->seq = (uint8_t)packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO);
  frame->dest_pid = frame->src_pid = frame802154_get_pan_id();
  if(!packetbuf_attr(PACKETBUF_ATTR_MAC_NO_SRC_ADDR)) {
    frame->fcf.src_addr_mode = OWN_ADDRESS_MODE;
  }
  if(!packetbuf_attr(PACKETBUF_ATTR_MAC_NO_DEST_ADDR)) {
    frame->fcf.dest_addr_mode = to_all ? FRAME802154_SHORTADDRMODE : OWN_ADDRESS_MODE;
  }
  frame->fcf.panid_compression = frame->fcf.src_addr_mode == FRAME802154_SHORTADDRMODE ||
    frame->fcf.dest_addr_mode == FRAME802154_SHORTADDRMODE;
  memcpy(frame->src_addr, packetbuf_addr(PACKETBUF_ADDR_SENDER)->u8, LINKADDR_SIZE);
  if(to_all) {
    frame->dest_addr[0] = frame->dest_addr[1] = 0xff;
  } else {
    memcpy(frame->dest_addr, packetbuf_addr(PACKETBUF_ADDR_RECEIVER)->u8, LINKADDR_SIZE);
  }
}

/* 0xffff: a device that is in no PAN, and sends nothing (IEEE 802.15.4-2006, table 86, macPANId). */
static int
length(void)
{
  frame802154_t frame;

  if(frame802154_get_pan_id() == FRAME802154_BROADCASTPANDID) {
    return FRAMER_FAILED;
  }
  describe(&frame);
  return frame802154_hdrlen(&frame);
}

static int
create(void)
{
  frame802154_t frame;
  int header = length();

  if(header < 0) {
    LOG_ERR("no PAN\n");
    return FRAMER_FAILED;
  }
  describe(&frame);
  if(!packetbuf_hdralloc(header)) {
    LOG_ERR("no room for a header of %d bytes\n", header);
    return FRAMER_FAILED;
  }
  return frame802154_create(&frame, packetbuf_hdrptr());
}

static void
set_address(uint8_t which, const uint8_t *bytes)
{
  linkaddr_t address;

  memcpy(address.u8, bytes, LINKADDR_SIZE);
  packetbuf_set_addr(which, &address);
}

/* Handles the kind of nearly all frames that are heard: broadcast data from a long address, with one
   PAN id. The general parser takes four times as many instructions. */
int
framer_802154_to_all(const uint8_t *at, unsigned length)
{
  return LINKADDR_SIZE == 8 && length >= FRAMER_802154_TO_ALL_HEADER &&
    (at[0] & ~0x20) == 0x41 &&   /* data, PAN id compression; ack or not */
    (at[1] & ~0x10) == 0xc8 &&   /* to a short address, from a long one; 2003 or 2006 */
    (at[5] & at[6]) == 0xff &&
    (at[3] | (unsigned)at[4] << 8) == frame802154_get_pan_id() ? FRAMER_802154_TO_ALL_HEADER : 0;
}

static bool
parse_data_to_all(void)
{
  const uint8_t *at = packetbuf_dataptr();
  int header = framer_802154_to_all(at, packetbuf_datalen());
  uint64_t sender;

  if(header == 0) {
    return false;
  }
  packetbuf_hdrreduce(header);
  packetbuf_set_attr(PACKETBUF_ATTR_FRAME_TYPE, FRAME802154_DATAFRAME);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_ACK, (at[0] & 0x20) != 0);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_SEQNO, at[2]);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, &linkaddr_null);
  memcpy(&sender, at + 7, sizeof(sender));
  sender = __builtin_bswap64(sender); /* over the air the last byte comes first */
  set_address(PACKETBUF_ADDR_SENDER, (const uint8_t *)&sender);
  return true;
}

static int
parse(void)
{
  frame802154_t frame;
  int header;

  if(parse_data_to_all()) {
    return FRAMER_802154_TO_ALL_HEADER;
  }
  header = frame802154_parse(packetbuf_dataptr(), packetbuf_datalen(), &frame);
  if(header == 0 || !packetbuf_hdrreduce(header)) {
    return FRAMER_FAILED;
  }
  if(frame.fcf.dest_addr_mode != FRAME802154_NOADDR &&
     frame.dest_pid != frame802154_get_pan_id() &&
     frame.dest_pid != FRAME802154_BROADCASTPANDID) {
    LOG_WARN("for PAN %04x\n", frame.dest_pid);
    return FRAMER_FAILED;
  }
  packetbuf_set_attr(PACKETBUF_ATTR_FRAME_TYPE, frame.fcf.frame_type);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_ACK, frame.fcf.ack_required);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_SEQNO,
                     frame.fcf.sequence_number_suppression ? 0xffff : frame.seq);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, &linkaddr_null);
  if(frame.fcf.dest_addr_mode != FRAME802154_NOADDR &&
     !frame802154_is_broadcast_addr(frame.fcf.dest_addr_mode, frame.dest_addr)) {
    set_address(PACKETBUF_ADDR_RECEIVER, frame.dest_addr);
  }
  set_address(PACKETBUF_ADDR_SENDER, frame.src_addr);
  return header;
}

const struct framer framer_802154 = { length, create, parse };
