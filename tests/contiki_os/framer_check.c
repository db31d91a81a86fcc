/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of the 802.15.4 framer, on the host under the sanitizers:
 * what is created is parsed back; foreign bytes of every length are parsed
 * without reading behind them, and a header that was accepted is the one that
 * creating it again gives.
 */
#include "contiki.h"
#include "net/mac/framer/framer-802154.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state;

static uint32_t
draw(uint32_t n)
{
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % n;
}

static void
fail(const char *what, const uint8_t *bytes, int length)
{
  printf("%s:", what);
  for(int i = 0; i < length; i++) {
    printf(" %02x", bytes[i]);
  }
  printf("\n");
  exit(1);
}

static void
draw_address(uint8_t *address, uint8_t mode)
{
  memset(address, 0, 8);
  for(int i = 0; i < (mode == FRAME802154_LONGADDRMODE ? 8 : mode == FRAME802154_SHORTADDRMODE ? 2 : 0); i++) {
    address[i] = (uint8_t)draw(256);
  }
}

static void
round_trip(void)
{
  static const uint8_t modes[] = { FRAME802154_NOADDR, FRAME802154_SHORTADDRMODE, FRAME802154_LONGADDRMODE };
  frame802154_t made = { .seq = 0 }, read;
  uint8_t bytes[64];
  int has_src, has_dest, header, payload = (int)draw(20);

  made.fcf.frame_type = (uint8_t)draw(8);
  made.fcf.frame_pending = (uint8_t)draw(2);
  made.fcf.ack_required = (uint8_t)draw(2);
  made.fcf.panid_compression = (uint8_t)draw(2);
  made.fcf.frame_version = (uint8_t)draw(3);
  made.fcf.sequence_number_suppression = made.fcf.frame_version == 2 && draw(2);
  made.fcf.dest_addr_mode = modes[draw(3)];
  made.fcf.src_addr_mode = modes[draw(3)];
  made.seq = made.fcf.sequence_number_suppression ? 0 : (uint8_t)draw(256);
  made.dest_pid = (uint16_t)draw(65536);
  made.src_pid = draw(2) ? made.dest_pid : (uint16_t)draw(65536);
  draw_address(made.dest_addr, made.fcf.dest_addr_mode);
  draw_address(made.src_addr, made.fcf.src_addr_mode);
  header = frame802154_hdrlen(&made);
  if(frame802154_create(&made, bytes) != header || header > 23) {
    fail("length", bytes, header);
  }
  for(int i = 0; i < payload; i++) {
    bytes[header + i] = (uint8_t)draw(256);
  }
  frame802154_has_panid(&made.fcf, &has_src, &has_dest);
  if(frame802154_parse(bytes, header + payload, &read) != header ||
     memcmp(&read.fcf, &made.fcf, sizeof(read.fcf)) != 0 || read.seq != made.seq ||
     memcmp(read.dest_addr, made.dest_addr, 8) != 0 ||
     memcmp(read.src_addr, made.src_addr, 8) != 0 ||
     (has_dest && read.dest_pid != made.dest_pid) ||
     (has_src && read.src_pid != made.src_pid) ||
     read.payload != bytes + header || read.payload_len != payload) {
    fail("round trip", bytes, header + payload);
  }
}

static void
foreign_bytes(void)
{
  int length = (int)draw(30);
  uint8_t *bytes = malloc((size_t)length + 1), again[64];
  frame802154_t frame;

  for(int i = 0; i < length; i++) {
    bytes[i] = (uint8_t)draw(256);
  }
  /* realloc to the exact size: the sanitizer sees a byte too many */
  bytes = realloc(bytes, length > 0 ? (size_t)length : 1);
  if(length > 0) {
    bytes[0] &= 0x7f; /* a reserved field is not kept */
  }
  int header = frame802154_parse(bytes, length, &frame);
  if(header < 0 || header > length) {
    fail("header", bytes, length);
  }
  /* Before 2015, the same PAN id twice would be written once; and compression
     without both addresses means nothing. */
  bool both = frame.fcf.src_addr_mode && frame.fcf.dest_addr_mode;
  bool canonical = frame.fcf.frame_version == 2 ||
    frame.fcf.panid_compression == (both && frame.src_pid == frame.dest_pid);
  if(header > 0 && canonical &&
     (frame802154_create(&frame, again) != header || memcmp(again, bytes, (size_t)header) != 0)) {
    fail("not the same again", bytes, length);
  }
  free(bytes);
}

static void
through_packetbuf(void)
{
  linkaddr_t from = { { 0 } }, to = { { 0 } };
  uint8_t payload[110];
  int length = (int)draw(105);

  from.u8[0] = (uint8_t)(1 + draw(255));
  to.u8[1] = (uint8_t)draw(3); /* 0: to all */
  for(int i = 0; i < length; i++) {
    payload[i] = (uint8_t)draw(256);
  }
  packetbuf_copyfrom(payload, (uint16_t)length);
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &from);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, &to);
  packetbuf_set_attr(PACKETBUF_ATTR_FRAME_TYPE, FRAME802154_DATAFRAME);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_SEQNO, 99);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_ACK, 1);
  bool to_all = packetbuf_holds_broadcast();
  int expected = framer_802154.length(), made = framer_802154.create();
  uint8_t frame[PACKETBUF_SIZE];
  int size = packetbuf_copyto(frame);
  if(made != expected || made != (to_all ? 15 : 21) || size != made + length) {
    fail("created", frame, size);
  }
  packetbuf_clear();
  packetbuf_copyfrom(frame, (uint16_t)size);
  if(framer_802154.parse() != made || packetbuf_datalen() != length ||
     memcmp(packetbuf_dataptr(), payload, (size_t)length) != 0 ||
     !linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_SENDER), &from) ||
     !linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_RECEIVER), &to) ||
     packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO) != 99 ||
     packetbuf_attr(PACKETBUF_ATTR_MAC_ACK) != !to_all) {
    fail("parsed", frame, size);
  }
  frame[3] ^= 1; /* another PAN */
  packetbuf_copyfrom(frame, (uint16_t)size);
  if(framer_802154.parse() != FRAMER_FAILED) {
    fail("another PAN's", frame, size);
  }
}

int
main(int argc, char **argv)
{
  int rounds = argc > 1 ? atoi(argv[1]) : 100000;

  state = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
  for(int i = 0; i < rounds; i++) {
    round_trip();
    foreign_bytes();
    through_packetbuf();
  }
  printf("%d rounds\n", rounds);
  return 0;
}
