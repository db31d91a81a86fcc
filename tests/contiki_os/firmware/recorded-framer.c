/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of IEEE 802.15.4 as frame802154.h and the framer make and read them, and the packet buffer under them. Frames
   that Contiki-NG guesses at and ours rejects (security, information elements, reserved modes and versions, cut ones)
   are left out: contiki-apps/os/README.md. */
#include "raw-radio.h"

#include "net/mac/framer/frame802154.h"
#include "net/mac/framer/framer-802154.h"
#include "net/packetbuf.h"
#include "net/queuebuf.h"

#include <string.h>

#define MODES 3

static const uint8_t modes[MODES] = { FRAME802154_NOADDR, FRAME802154_SHORTADDRMODE, FRAME802154_LONGADDRMODE };
static const linkaddr_t other = { { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 } };

PROCESS(recorded_process, "Recorded");
AUTOSTART_PROCESSES(&recorded_process);

static void
fill(frame802154_t *frame, uint8_t version, uint8_t to, uint8_t from, uint8_t compression)
{
  memset(frame, 0, sizeof(*frame));
  frame->fcf.frame_type = FRAME802154_DATAFRAME;
  frame->fcf.frame_version = version;
  frame->fcf.dest_addr_mode = to;
  frame->fcf.src_addr_mode = from;
  frame->fcf.panid_compression = compression;
  frame->seq = 0xc5;
  frame->dest_pid = 0xabcd;
  memcpy(frame->dest_addr, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
  memcpy(frame->src_addr, "\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8", 8);
}

static void
print_parsed(uint8_t *bytes, int length)
{
  frame802154_t frame;
  int header = frame802154_parse(bytes, length, &frame);

  printf("  read %d: type %u pending %u ack %u compressed %u without number %u modes %u %u version %u", header,
         frame.fcf.frame_type, frame.fcf.frame_pending, frame.fcf.ack_required, frame.fcf.panid_compression,
         frame.fcf.sequence_number_suppression, frame.fcf.dest_addr_mode, frame.fcf.src_addr_mode, frame.fcf.frame_version);
  if(!frame.fcf.sequence_number_suppression) {
    printf(" number %u", frame.seq);
  }
  printf(" PANs %04x %04x payload %d, PAN is ours %d\n", frame.dest_pid, frame.src_pid, frame.payload_len,
         frame802154_check_dest_panid(&frame));
  raw_radio_print("  to", frame.dest_addr, 8);
  raw_radio_print("  from", frame.src_addr, 8);
}

/* Every pair of addresses in every version, with the same PAN and another. */
#define HEADERS (3 * MODES * MODES * 4)

static void
show_header(int i)
{
  frame802154_t frame;
  uint8_t bytes[40] = { 0 };
  int length, header;

  fill(&frame, (uint8_t)(i / 36), modes[i / 12 % MODES], modes[i / 4 % MODES], i / 2 % 2);
  if(frame.fcf.frame_version == FRAME802154_IEEE802154_2015 && !frame.fcf.dest_addr_mode && !frame.fcf.src_addr_mode &&
     frame.fcf.panid_compression) {
    return; /* a PAN id and no address: Contiki-NG writes it and doesn't read it */
  }
  frame.src_pid = i % 2 ? 0xabcd : 0x1234;
  frame.fcf.ack_required = i % 3 == 1;
  frame.fcf.frame_pending = i % 5 == 1;
  frame.fcf.sequence_number_suppression = frame.fcf.frame_version == FRAME802154_IEEE802154_2015 && i % 7 == 1;
  header = frame802154_hdrlen(&frame);
  length = frame802154_create(&frame, bytes);
  printf("header %d %d, compressed %u: ", header, length, frame.fcf.panid_compression);
  raw_radio_print("", bytes, length);
  bytes[length] = 0xee;
  print_parsed(bytes, length + 1);
}

/* IEEE 802.15.4-2015, table 7-2, and what came before: which of the two PAN ids is there, for every type of frame. */
static void
show_pan_ids(void)
{
  for(int type = 0; type < 4; type++) {
    for(int i = 0; i < 3 * MODES * MODES * 2; i++) {
      frame802154_t frame;
      int has_from, has_to, alone_from, alone_to;

      fill(&frame, (uint8_t)(i / 18), modes[i / 6 % MODES], modes[i / 2 % MODES], i % 2);
      frame.fcf.frame_type = (uint8_t)type;
      frame802154_has_panid(&frame.fcf, &has_from, &has_to);
      frame802154_has_panid(&frame.fcf, &alone_from, NULL);
      frame802154_has_panid(&frame.fcf, NULL, &alone_to);
      printf("%d%d%s", has_to, has_from, alone_to == has_to && alone_from == has_from ? "" : "?");
    }
    printf("\n");
  }
}

static void
show_control_fields(void)
{
  uint8_t bytes[2] = { 0, 0 };

  for(int i = 0; i < 256; i += 5) {
    frame802154_fcf_t fcf;
    uint8_t again[2];

    bytes[0] = (uint8_t)(i & 0x7f);
    bytes[1] = (uint8_t)(255 - i);
    frame802154_parse_fcf(bytes, &fcf);
    frame802154_create_fcf(&fcf, again);
    printf("%u%u%u%u%u %u%u %u%u%u %02x%02x%s", fcf.frame_type, fcf.security_enabled, fcf.frame_pending, fcf.ack_required,
           fcf.panid_compression, fcf.sequence_number_suppression, fcf.ie_list_present, fcf.dest_addr_mode, fcf.frame_version,
           fcf.src_addr_mode, again[0], again[1], i % 8 == 7 ? "\n" : "; ");
  }
  printf("\n");
}

static void
show_broadcast_addresses(void)
{
  uint8_t address[8];

  for(int i = -1; i < 8; i++) {
    memset(address, 0xff, sizeof(address));
    if(i >= 0) {
      address[i] = 0xfe;
    }
    printf("%d%d ", frame802154_is_broadcast_addr(FRAME802154_SHORTADDRMODE, address),
           frame802154_is_broadcast_addr(FRAME802154_LONGADDRMODE, address));
  }
  printf("\n");
}

/* The framer creates a packet's header and parses it again. */
static void
show_packet(const char *what, const linkaddr_t *to, const uint8_t *attributes, int number)
{
  uint8_t bytes[PACKETBUF_SIZE];
  int length, made, size;

  packetbuf_copyfrom("payload", 7);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, to);
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &linkaddr_node_addr);
  packetbuf_set_attr(PACKETBUF_ATTR_FRAME_TYPE, FRAME802154_DATAFRAME);
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_SEQNO, 201);
  for(int i = 0; i < number; i++) {
    packetbuf_set_attr(attributes[i], attributes[i] == PACKETBUF_ATTR_FRAME_TYPE ? FRAME802154_CMDFRAME : 1);
  }
  length = NETSTACK_FRAMER.length();
  made = NETSTACK_FRAMER.create();
  size = packetbuf_copyto(bytes);
  printf("%s: length %d, made %d, %u + %u = %u bytes, %d\n", what, length, made, packetbuf_hdrlen(), packetbuf_datalen(),
         packetbuf_totlen(), size);
  raw_radio_print(" ", bytes, size);
  if(made < 0) {
    return; /* Contiki-NG would take the payload for a header */
  }
  packetbuf_copyfrom(bytes, (uint16_t)size);
  made = NETSTACK_FRAMER.parse();
  printf("  read %d: type %u, ACK %u, number %u, %u + %u, to all %d\n", made, packetbuf_attr(PACKETBUF_ATTR_FRAME_TYPE),
         packetbuf_attr(PACKETBUF_ATTR_MAC_ACK), packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO), packetbuf_hdrlen(), packetbuf_datalen(),
         packetbuf_holds_broadcast());
  if(made > 0) {
    raw_radio_print("  to", packetbuf_addr(PACKETBUF_ADDR_RECEIVER)->u8, LINKADDR_SIZE);
    raw_radio_print("  from", packetbuf_addr(PACKETBUF_ADDR_SENDER)->u8, LINKADDR_SIZE);
  }
}

static void
show_packets(void)
{
  static const uint8_t ack[] = { PACKETBUF_ATTR_MAC_ACK }, anonymous[] = { PACKETBUF_ATTR_MAC_NO_SRC_ADDR },
    nowhere[] = { PACKETBUF_ATTR_MAC_NO_DEST_ADDR, PACKETBUF_ATTR_MAC_ACK },
    neither[] = { PACKETBUF_ATTR_MAC_NO_SRC_ADDR, PACKETBUF_ATTR_MAC_NO_DEST_ADDR },
    command[] = { PACKETBUF_ATTR_FRAME_TYPE, PACKETBUF_ATTR_MAC_ACK };

  show_packet("to one", &other, NULL, 0);
  show_packet("to one, an ACK asked for", &other, ack, 1);
  show_packet("to all, an ACK asked for", &linkaddr_null, ack, 1);
  show_packet("to one, without a sender", &other, anonymous, 1);
  show_packet("to all, without a sender", &linkaddr_null, anonymous, 1);
  show_packet("without a receiver", &other, nowhere, 2);
  show_packet("to all, without a receiver", &linkaddr_null, nowhere, 2);
  show_packet("without both", &other, neither, 2);
  show_packet("a command", &other, command, 2);
}

static void
show_packets_of_other_pans(void)
{
  static const uint16_t pans[] = { 0x0102, 0xffff, 0xabcd };

  for(unsigned i = 0; i < sizeof(pans) / sizeof(pans[0]); i++) {
    frame802154_set_pan_id(pans[i]);
    printf("PAN %04x, payload at most %d\n", frame802154_get_pan_id(), NETSTACK_MAC.max_payload());
    show_packet("to one", &other, NULL, 0);
  }
}

static void
print_buffer(const char *what, int result)
{
  uint8_t bytes[PACKETBUF_SIZE];
  int size = packetbuf_copyto(bytes);

  printf("%s: %d, header %u at %d, data %u at %d, in all %u, left %u, copied %d", what, result, packetbuf_hdrlen(),
         0, packetbuf_datalen(), (int)((char *)packetbuf_dataptr() - (char *)packetbuf_hdrptr()), packetbuf_totlen(),
         packetbuf_remaininglen(), size);
  raw_radio_print("", bytes, size > 12 ? 12 : size);
}

static void
show_buffer(void)
{
  static uint8_t bytes[PACKETBUF_SIZE + 10];
  struct queuebuf *kept[3];

  for(unsigned i = 0; i < sizeof(bytes); i++) {
    bytes[i] = (uint8_t)(i + 1);
  }
  packetbuf_clear();
  print_buffer("clear", 0);
  print_buffer("too much", packetbuf_copyfrom(bytes, sizeof(bytes)));
  print_buffer("no room", packetbuf_hdralloc(1));
  print_buffer("five", packetbuf_copyfrom(bytes, 5));
  print_buffer("room for three", packetbuf_hdralloc(3));
  memset(packetbuf_hdrptr(), 0xa0, 3);
  print_buffer("room for two more", packetbuf_hdralloc(2));
  memset(packetbuf_hdrptr(), 0xb0, 2);
  print_buffer("written", 0);
  print_buffer("all that is left", packetbuf_hdralloc(packetbuf_remaininglen()));
  print_buffer("nine", packetbuf_copyfrom(bytes, 9));
  print_buffer("less ten", packetbuf_hdrreduce(10));
  print_buffer("less four", packetbuf_hdrreduce(4));
  kept[0] = queuebuf_new_from_packetbuf();
  print_buffer("less all", packetbuf_hdrreduce(5));
  packetbuf_clear();
  memcpy(packetbuf_dataptr(), bytes + 20, 6);
  packetbuf_set_datalen(6);
  packetbuf_set_attr(PACKETBUF_ATTR_CHANNEL, 17);
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &other);
  print_buffer("set", 0);
  kept[1] = queuebuf_new_from_packetbuf();
  packetbuf_hdralloc(2);
  memset(packetbuf_hdrptr(), 0xc0, 2);
  kept[2] = queuebuf_new_from_packetbuf();
  for(int i = 0; i < 3; i++) {
    queuebuf_to_packetbuf(kept[i]);
    printf("kept %d, channel %u, from %02x, of %d: ", i, packetbuf_attr(PACKETBUF_ATTR_CHANNEL),
           packetbuf_addr(PACKETBUF_ADDR_SENDER)->u8[7], queuebuf_datalen(kept[i]));
    print_buffer("back", packetbuf_holds_broadcast());
  }
  packetbuf_set_attr(PACKETBUF_ATTR_CHANNEL, 18);
  packetbuf_copyfrom(bytes, 3);
  queuebuf_update_from_packetbuf(kept[1]);
  packetbuf_set_attr(PACKETBUF_ATTR_CHANNEL, 19);
  queuebuf_update_attr_from_packetbuf(kept[2]);
  printf("updated: %d of channel %u, %d of channel %u\n", queuebuf_datalen(kept[1]), queuebuf_attr(kept[1], PACKETBUF_ATTR_CHANNEL),
         queuebuf_datalen(kept[2]), queuebuf_attr(kept[2], PACKETBUF_ATTR_CHANNEL));
  for(int i = 0; i < 3; i++) {
    queuebuf_free(kept[i]);
  }
}

/* One part runs in each tick, because what Contiki-NG prints in a tick has to fit its buffer. */
PROCESS_THREAD(recorded_process, ev, data)
{
  static struct etimer timer;
  static int i;

  PROCESS_BEGIN();
  for(i = 0; i < HEADERS; i++) {
    switch(i) {
    case 0: show_buffer(); break;
    case 1: show_packets(); break;
    case 2: show_packets_of_other_pans(); break;
    case 3: show_broadcast_addresses(); break;
    case 4: show_pan_ids(); break;
    case 5: show_control_fields(); break;
    }
    show_header(i);
    etimer_set(&timer, 1);
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  }
  PROCESS_END();
}
