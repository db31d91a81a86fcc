/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dissects frames of IEEE 802.15.4 and what they carry: 6LoWPAN, IPv6, ICMPv6, RPL, UDP, TCP, CoAP, 6P.
 *
 * A frame's bytes come from anywhere. Nothing is read beyond its end, and a field is set only if all of it is in the frame.
 * A part that isn't as its standard says is opaque, and the row's `flaw` says why.
 */
#ifndef DISSECT_H
#define DISSECT_H

#include "columns.h"

/* The columns: name, kind, dictionary. docs/air.md says what they mean. */
#define FRAME_COLUMNS(X) \
  X(frame, INT32, NULL) X(t_us, INT64, NULL) X(end_us, INT64, NULL) X(mote, INT32, NULL) X(channel, INT16, NULL) \
  X(power, INT16, NULL) X(power_dbm, FLOAT32, NULL) X(rssi_dbm, FLOAT32, NULL) X(length, INT16, NULL) X(beyond, INT16, NULL) X(type, TEXT, &words) \
  X(version, INT8, NULL) X(seq, INT16, NULL) X(pan, INT32, NULL) X(src, TEXT, &addresses) X(dst, TEXT, &addresses) \
  X(ack_request, BOOLEAN, NULL) X(pending, BOOLEAN, NULL) X(security_level, INT8, NULL) X(key_index, INT16, NULL) \
  X(frame_counter, INT64, NULL) X(command, INT16, NULL) X(asn, INT64, NULL) X(join_metric, INT16, NULL) \
  X(time_correction_us, INT16, NULL) X(nack, BOOLEAN, NULL) X(sixp_type, TEXT, &words) X(sixp_code, INT16, NULL) \
  X(sixp_sfid, INT16, NULL) X(sixp_seq, INT16, NULL) X(network, TEXT, &words) X(frag_tag, INT32, NULL) \
  X(frag_size, INT32, NULL) X(frag_offset, INT32, NULL) X(first_frame, INT32, NULL) X(ip_src, TEXT, &ips) X(ip_dst, TEXT, &ips) \
  X(final_dst, TEXT, &ips) X(hop_limit, INT16, NULL) X(next_header, INT16, NULL) X(transport, INT16, NULL) \
  X(ip_length, INT32, NULL) X(segments_left, INT16, NULL) X(sender_rank, INT32, NULL) X(rpl_flags, INT16, NULL) \
  X(src_port, INT32, NULL) X(dst_port, INT32, NULL) X(icmp_type, INT16, NULL) X(icmp_code, INT16, NULL) \
  X(echo_id, INT32, NULL) X(echo_seq, INT32, NULL) X(nd_target, TEXT, &ips) X(rpl_kind, TEXT, &words) \
  X(rank, INT32, NULL) X(tcp_seq, INT64, NULL) X(tcp_ack, INT64, NULL) X(tcp_flags, INT16, NULL) \
  X(coap_type, TEXT, &words) X(coap_code, TEXT, &codes) X(coap_mid, INT32, NULL) X(coap_token, TEXT, &tokens) \
  X(coap_path, TEXT, &paths) X(payload_length, INT32, NULL) X(payload_hash, INT64, NULL) X(flaw, TEXT, &words)

#define RPL_COLUMNS(X) \
  X(frame, INT32, NULL) X(t_us, INT64, NULL) X(mote, INT32, NULL) X(ip_src, TEXT, &ips) X(ip_dst, TEXT, &ips) \
  X(kind, TEXT, &words) X(instance, INT16, NULL) X(version, INT16, NULL) X(rank, INT32, NULL) X(dtsn, INT16, NULL) \
  X(grounded, BOOLEAN, NULL) X(mop, INT8, NULL) X(preference, INT8, NULL) X(dodag, TEXT, &ips) X(sequence, INT16, NULL) \
  X(ack_request, BOOLEAN, NULL) X(status, INT16, NULL) X(target, TEXT, &ips) X(target_length, INT16, NULL) \
  X(targets, INT16, NULL) X(parent, TEXT, &ips) X(path_sequence, INT16, NULL) X(path_lifetime, INT16, NULL) \
  X(interval_doublings, INT16, NULL) X(interval_min, INT16, NULL) X(redundancy, INT16, NULL) X(max_rank_increase, INT32, NULL) \
  X(min_hop_rank_increase, INT32, NULL) X(ocp, INT32, NULL) X(default_lifetime, INT16, NULL) X(lifetime_unit, INT32, NULL) \
  X(prefix, TEXT, &ips) X(prefix_length, INT16, NULL)

#define RECEPTION_COLUMNS(X) \
  X(frame, INT32, NULL) X(mote, INT32, NULL) X(outcome, TEXT, &words) X(rssi_dbm, FLOAT32, NULL) X(t_us, INT64, NULL)

#define STATE_COLUMNS(X) \
  X(mote, INT32, NULL) X(state, TEXT, &words) X(from_us, INT64, NULL) X(to_us, INT64, NULL) X(time_us, INT64, NULL)

#define PROCESSOR_COLUMNS(X) X(mote, INT32, NULL) X(mode, TEXT, &words) X(time_us, INT64, NULL)

#define NUMBER_OF_FRAME(name, kind, dictionary) F_##name,
#define NUMBER_OF_RPL(name, kind, dictionary) R_##name,
#define NUMBER_OF_RECEPTION(name, kind, dictionary) C_##name,
#define NUMBER_OF_STATE(name, kind, dictionary) S_##name,
#define NUMBER_OF_PROCESSOR(name, kind, dictionary) P_##name,
enum { FRAME_COLUMNS(NUMBER_OF_FRAME) FRAME_COLUMN_COUNT };
enum { RPL_COLUMNS(NUMBER_OF_RPL) RPL_COLUMN_COUNT };
enum { RECEPTION_COLUMNS(NUMBER_OF_RECEPTION) RECEPTION_COLUMN_COUNT };
enum { STATE_COLUMNS(NUMBER_OF_STATE) STATE_COLUMN_COUNT };
enum { PROCESSOR_COLUMNS(NUMBER_OF_PROCESSOR) PROCESSOR_COLUMN_COUNT };

extern struct table frames, rpl, receptions, states, processors;
extern struct dictionary words, addresses, ips, codes, tokens, paths;

/* The fixed texts, in the dictionary `words` under these numbers. */
#define WORDS(X) \
  X(BEACON, "beacon") X(DATA, "data") X(ACK, "ack") X(COMMAND, "command") X(OTHER, "other") \
  X(IPV6, "ipv6") X(FRAG1, "6lo-frag1") X(FRAGN, "6lo-fragn") X(RPL_DIS, "rpl-dis") X(RPL_DIO, "rpl-dio") X(RPL_DAO, "rpl-dao") X(RPL_DAO_ACK, "rpl-dao-ack") X(SIXP, "6p") X(EB, "eb") X(OPAQUE, "opaque") \
  X(SECURED, "secured") X(EMPTY, "empty") X(NULLNET, "nullnet") \
  X(DIS, "dis") X(DIO, "dio") X(DAO, "dao") X(DAO_ACK, "dao-ack") X(OTHER_RPL, "other-rpl") \
  X(CON, "con") X(NON, "non") X(RST, "rst") X(REQUEST, "request") X(RESPONSE, "response") \
  X(CONFIRMATION, "confirmation") X(RESERVED, "reserved") \
  X(RECEIVED, "received") X(COLLIDED, "collided") X(BELOW, "below-sensitivity") X(RADIO_OFF, "radio-off") X(BUSY, "busy-sending") \
  X(WRONG_CHANNEL, "wrong-channel") X(BY_CHANCE, "lost-by-chance") X(CUT, "cut-short") X(MISSED, "missed") \
  X(S_OFF, "off") X(S_LISTENING, "listening") X(S_RECEIVING, "receiving") X(S_INTERFERED, "interfered") X(S_TRANSMITTING, "transmitting") \
  X(P_ACTIVE, "active") X(P_LPM0, "lpm0") X(P_LPM1, "lpm1") X(P_LPM2, "lpm2") X(P_LPM3, "lpm3") X(P_LPM4, "lpm4") \
  X(NO_FLAW, "") X(SHORT_MAC, "the MAC header is longer than the frame") X(BAD_FCS, "the FCS is wrong") \
  X(BAD_TAP, "no TAP header before the frame") X(CAPTURE_CUT, "the capture has only a part of the frame") X(PARTLY, "only a part of the frame was sent") X(BAD_MODE, "a reserved address mode or version") \
  X(BAD_IE, "an information element is longer than the frame") X(NO_KEY, "no key for this frame") \
  X(WRONG_KEY, "the key doesn't fit: another MIC") X(NO_NONCE, "the nonce is not known: no extended source address, or no ASN") \
  X(OLD_SECURITY, "security of IEEE 802.15.4-2003") X(BAD_DISPATCH, "a dispatch that 6LoWPAN doesn't define") \
  X(SHORT_IPHC, "the compressed header is longer than the frame") X(NO_CONTEXT, "a context for compression that nobody gave") \
  X(SHORT_IPV6, "the IPv6 header is longer than the frame") X(NOT_IPV6, "no IPv6 behind the dispatch of IPv6") \
  X(LONG_IPV6, "the IPv6 payload length is not that of the frame") X(BAD_EXTENSION, "an extension header is longer than the packet") \
  X(BAD_ROUTING, "a source routing header lies about its addresses") X(SHORT_UDP, "the UDP header is longer than the packet") \
  X(LONG_UDP, "the UDP length is not that of the packet") X(SHORT_ICMP, "the ICMPv6 message is cut short") \
  X(SHORT_TCP, "the TCP header is longer than the packet") X(SHORT_COAP, "the CoAP message is cut short") \
  X(BAD_RPL, "an RPL option is longer than the message") X(BAD_FRAGMENT, "a fragment reaches beyond its datagram") \
  X(OVERLAP, "a fragment overlaps another one of its datagram") X(TOO_DEEP, "too many nested headers") \
  X(BAD_CHECKSUM, "the UDP checksum is wrong")

#define NUMBER_OF_WORD(name, text) W_##name,
enum word { WORDS(NUMBER_OF_WORD) WORD_COUNT };

/* Numbers of protocols, and types of ICMPv6 (IANA). */
enum { TCP = 6, UDP = 17, ICMP = 58, ECHO_REQUEST = 128, ECHO_REPLY = 129 };
enum { CONTEXTS = 16, KEYS = 64, KEY_SIZE = 16, IP_SIZE = 16, EXTENDED = 8 };

struct key {
  int index; /* -1: of frames that name none */
  uint8_t bytes[KEY_SIZE];
};

struct settings {
  uint8_t context[CONTEXTS][IP_SIZE];
  bool has_context[CONTEXTS];
  struct key keys[KEYS];
  unsigned key_count;
  int64_t slot_us; /* the length of a TSCH time slot */
  bool nullnet;    /* what data frames carry is an application's, not 6LoWPAN */
};

struct link_address {
  uint8_t bytes[EXTENDED]; /* most significant byte first */
  uint8_t size;            /* 0, 2 or 8 */
};

/* A frame as it is dissected. */
struct frame {
  const struct settings *settings;
  struct row *row;
  const uint8_t *end; /* behind the last byte of the present layer */
  struct link_address source, destination;
  int pan;
  int64_t t_us;
  const uint8_t *payload;    /* of the innermost protocol, up to `end`; NULL: none */
  const uint8_t *plain_from; /* see dissect_plain_from() */
  size_t headers;
  unsigned checksum; /* of UDP; 0: none */
  int cut_protocol; /* whose header, which begins at `payload`, is not wholly in the first fragment; -1: none */
  uint8_t plain[2048]; /* decrypted */
};

void dissect_init(void);

/* Dissects the bytes of a frame without its FCS into the row. */
void dissect_mac(struct frame *frame, const uint8_t *bytes, size_t size);
/* What a data frame carries. */
void dissect_lowpan(struct frame *frame, const uint8_t *from);
/* What follows an IPv6 header: `next` is the number of the first header. */
void dissect_ip_payload(struct frame *frame, int next, const uint8_t *from, unsigned depth);
/* A message of UDP, TCP or ICMPv6 with its header. */
void dissect_transport(struct frame *frame, int protocol, const uint8_t *from);
void dissect_udp_payload(struct frame *frame, int from_port, int to_port, const uint8_t *from, unsigned checksum);
/* Gives the row of a frame its flaw if the checksum of a datagram of UDP isn't that of its addresses, ports and payload. */
void udp_check(size_t row, unsigned checksum, const uint8_t *payload, size_t size);

void dissect_flaw(struct frame *frame, enum word flaw);
void dissect_opaque(struct frame *frame, const uint8_t *from);
void dissect_payload(struct frame *frame, const uint8_t *from);
int64_t ip_entry(const uint8_t address[IP_SIZE]);
const uint8_t *ip_bytes(int64_t entry);
int64_t address_entry(const struct link_address *address);

static inline void
set(struct frame *frame, unsigned column, int64_t value)
{
  row_set(frame->row, column, value);
}

/* Notes where the bytes of a first fragment begin that are not compressed, and how many bytes the headers before are. */
static inline void
dissect_plain_from(struct frame *frame, const uint8_t *from, size_t headers)
{
  if(frame->plain_from == NULL) {
    frame->plain_from = from;
    frame->headers = headers;
  }
}

/* A dissected frame has become a row: if it is a fragment, its datagram may be complete now. */
void fragments_note(const struct frame *frame, size_t row);

/* AES-CCM* of IEEE 802.15.4: decrypts the text in place and checks its MIC. */
bool ccm_open(const uint8_t key[KEY_SIZE], const uint8_t nonce[13], const uint8_t *associated, size_t associated_size, uint8_t *text,
              size_t size, bool encrypted, const uint8_t *mic, unsigned mic_size);

static inline unsigned
big16(const uint8_t *bytes)
{
  return (unsigned)(bytes[0] << 8 | bytes[1]);
}

static inline uint32_t
big32(const uint8_t *bytes)
{
  return (uint32_t)big16(bytes) << 16 | big16(bytes + 2);
}

static inline unsigned
little16(const uint8_t *bytes)
{
  return (unsigned)(bytes[1] << 8 | bytes[0]);
}

static inline uint32_t
little32(const uint8_t *bytes)
{
  return (uint32_t)little16(bytes + 2) << 16 | little16(bytes);
}

#endif
