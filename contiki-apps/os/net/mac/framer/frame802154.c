/* SPDX-License-Identifier: Apache-2.0 */
#include "net/mac/framer/frame802154.h"

#include <string.h>

static uint16_t macPANId = IEEE802154_PANID;

uint16_t
frame802154_get_pan_id(void)
{
  return macPANId;
}

void
frame802154_set_pan_id(uint16_t pan_id)
{
  macPANId = pan_id;
}

static int
address_length(uint8_t mode)
{
  return mode == FRAME802154_LONGADDRMODE ? 8 : mode == FRAME802154_SHORTADDRMODE ? 2 : 0;
}

bool
frame802154_is_broadcast_addr(uint8_t mode, const uint8_t *address)
{
  int length = mode == FRAME802154_SHORTADDRMODE ? 2 : 8;

  for(int i = 0; i < length; i++) {
    if(address[i] != 0xff) {
      return false;
    }
  }
  return true;
}

/* IEEE 802.15.4-2015, table 7-2; earlier versions, 7.2.1.1.5 of 2006. */
void
frame802154_has_panid(frame802154_fcf_t *fcf, int *has_src_pan_id,
                      int *has_dest_pan_id)
{
  bool to = fcf->dest_addr_mode != FRAME802154_NOADDR;
  bool from = fcf->src_addr_mode != FRAME802154_NOADDR;
  bool both_long = fcf->dest_addr_mode == FRAME802154_LONGADDRMODE &&
    fcf->src_addr_mode == FRAME802154_LONGADDRMODE;
  bool compressed = fcf->panid_compression;
  bool src, dest;

  if(fcf->frame_version != FRAME802154_IEEE802154_2015) {
    bool ack = fcf->frame_type == FRAME802154_ACKFRAME; /* 7.2.2.3 of 2006: none */
    dest = to && !ack;
    src = from && !compressed && !ack;
  } else if(to && from) {
    dest = !both_long || !compressed;
    src = !both_long && !compressed;
  } else if(to) {
    dest = !compressed;
    src = false;
  } else {
    dest = !from && compressed;
    src = from && !compressed;
  }
  if(has_src_pan_id != NULL) {
    *has_src_pan_id = src;
  }
  if(has_dest_pan_id != NULL) {
    *has_dest_pan_id = dest;
  }
}

int
frame802154_check_dest_panid(frame802154_t *frame)
{
  int has_dest;

  frame802154_has_panid(&frame->fcf, NULL, &has_dest);
  return has_dest && (frame->dest_pid == macPANId ||
                      frame->dest_pid == FRAME802154_BROADCASTPANDID);
}

void
frame802154_create_fcf(frame802154_fcf_t *fcf, uint8_t *buffer)
{
  unsigned bits = (fcf->frame_type & 7u) |
    (fcf->security_enabled & 1u) << 3 |
    (fcf->frame_pending & 1u) << 4 |
    (fcf->ack_required & 1u) << 5 |
    (fcf->panid_compression & 1u) << 6 |
    (fcf->sequence_number_suppression & 1u) << 8 |
    (fcf->ie_list_present & 1u) << 9 |
    (fcf->dest_addr_mode & 3u) << 10 |
    (fcf->frame_version & 3u) << 12 |
    (fcf->src_addr_mode & 3u) << 14;

  buffer[0] = (uint8_t)bits;
  buffer[1] = (uint8_t)(bits >> 8);
}

void
frame802154_parse_fcf(const uint8_t *data, frame802154_fcf_t *fcf)
{
  unsigned bits = data[0] | (unsigned)data[1] << 8;

  fcf->frame_type = bits & 7;
  fcf->security_enabled = bits >> 3 & 1;
  fcf->frame_pending = bits >> 4 & 1;
  fcf->ack_required = bits >> 5 & 1;
  fcf->panid_compression = bits >> 6 & 1;
  fcf->sequence_number_suppression = bits >> 8 & 1;
  fcf->ie_list_present = bits >> 9 & 1;
  fcf->dest_addr_mode = bits >> 10 & 3;
  fcf->frame_version = bits >> 12 & 3;
  fcf->src_addr_mode = bits >> 14 & 3;
}

static void
settle_compression(frame802154_t *frame)
{
  frame802154_fcf_t *fcf = &frame->fcf;

  if(fcf->frame_version != FRAME802154_IEEE802154_2015) {
    fcf->panid_compression = fcf->dest_addr_mode != FRAME802154_NOADDR &&
      fcf->src_addr_mode != FRAME802154_NOADDR &&
      frame->dest_pid == frame->src_pid;
  }
}

int
frame802154_hdrlen(frame802154_t *frame)
{
  int has_src, has_dest;

  settle_compression(frame);
  frame802154_has_panid(&frame->fcf, &has_src, &has_dest);
  return 2 + !frame->fcf.sequence_number_suppression + 2 * has_dest + 2 * has_src +
    address_length(frame->fcf.dest_addr_mode) +
    address_length(frame->fcf.src_addr_mode);
}

static uint8_t *
put_pan_id(uint8_t *at, uint16_t pan_id)
{
  *at++ = (uint8_t)pan_id;
  *at++ = (uint8_t)(pan_id >> 8);
  return at;
}

/* Copies the 8 bytes of an address at once, because this runs for every frame that anyone
   hears. */
static void
reverse(uint8_t *to, const uint8_t *from, int length)
{
  uint64_t whole;

  if(length == sizeof(whole)) {
    memcpy(&whole, from, sizeof(whole));
    whole = __builtin_bswap64(whole);
    memcpy(to, &whole, sizeof(whole));
    return;
  }
  for(int i = 0; i < length; i++) {
    to[i] = from[length - 1 - i];
  }
}

static uint8_t *
put_address(uint8_t *at, uint8_t mode, const uint8_t *address)
{
  int length = address_length(mode);

  reverse(at, address, length);
  return at + length;
}

int
frame802154_create(frame802154_t *frame, uint8_t *buffer)
{
  uint8_t *at = buffer;
  int has_src, has_dest;

  settle_compression(frame);
  frame802154_has_panid(&frame->fcf, &has_src, &has_dest);
  frame802154_create_fcf(&frame->fcf, at);
  at += 2;
  if(!frame->fcf.sequence_number_suppression) {
    *at++ = frame->seq;
  }
  if(has_dest) {
    at = put_pan_id(at, frame->dest_pid);
  }
  at = put_address(at, frame->fcf.dest_addr_mode, frame->dest_addr);
  if(has_src) {
    at = put_pan_id(at, frame->src_pid);
  }
  at = put_address(at, frame->fcf.src_addr_mode, frame->src_addr);
  return (int)(at - buffer);
}

static const uint8_t *
get_pan_id(const uint8_t *at, uint16_t *pan_id)
{
  *pan_id = (uint16_t)(at[0] | at[1] << 8);
  return at + 2;
}

static const uint8_t *
get_address(const uint8_t *at, uint8_t mode, uint8_t *address)
{
  int length = address_length(mode);

  reverse(address, at, length);
  return at + length;
}

/* Mode 1 and version 3 are reserved; security and information elements would lengthen the
   header by fields that are not parsed here. */
static bool
is_understood(const frame802154_fcf_t *fcf)
{
  return fcf->dest_addr_mode != 1 && fcf->src_addr_mode != 1 &&
    fcf->frame_version <= FRAME802154_IEEE802154_2015 &&
    !fcf->security_enabled && !fcf->ie_list_present &&
    (fcf->frame_version == FRAME802154_IEEE802154_2015 ||
     !fcf->sequence_number_suppression);
}

int
frame802154_parse(uint8_t *data, int length, frame802154_t *frame)
{
  const uint8_t *at = data + 2;
  frame802154_fcf_t fcf;
  int has_src, has_dest, header;

  memset(frame, 0, sizeof(*frame));
  if(length < 2) {
    return 0;
  }
  frame802154_parse_fcf(data, &fcf);
  if(!is_understood(&fcf)) {
    return 0;
  }
  frame802154_has_panid(&fcf, &has_src, &has_dest);
  header = 2 + !fcf.sequence_number_suppression + 2 * has_dest + 2 * has_src +
    address_length(fcf.dest_addr_mode) + address_length(fcf.src_addr_mode);
  if(header > length) {
    return 0;
  }
  frame->fcf = fcf;
  if(!fcf.sequence_number_suppression) {
    frame->seq = *at++;
  }
  if(has_dest) {
    at = get_pan_id(at, &frame->dest_pid);
  }
  at = get_address(at, fcf.dest_addr_mode, frame->dest_addr);
  if(has_src) {
    at = get_pan_id(at, &frame->src_pid);
  }
  at = get_address(at, fcf.src_addr_mode, frame->src_addr);
  /* A PAN id that was left out is the same as the other one. */
  if(has_src && !has_dest) {
    frame->dest_pid = frame->src_pid;
  } else if(!has_src && fcf.src_addr_mode != FRAME802154_NOADDR) {
    frame->src_pid = frame->dest_pid;
  }
  frame->payload = data + header;
  frame->payload_len = length - header;
  return header;
}
