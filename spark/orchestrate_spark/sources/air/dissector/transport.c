/* SPDX-License-Identifier: Apache-2.0 */
/* UDP, TCP, CoAP (RFC 7252), ICMPv6 (RFC 4443), neighbour discovery (RFC 4861) and RPL (RFC 6550). */
#include "dissect.h"

#include <stdio.h>
#include <string.h>

enum { COAP_PORT = 5683, UDP_HEADER = 8, TCP_HEADER = 20 };
enum { SOLICITATION = 135, REDIRECT = 137, RPL_MESSAGE = 155 };
enum { URI_PATH = 11, LONGEST_PATH = 120, LONGEST_TOKEN = 8 };

static size_t
code_text(char *text, const uint8_t *key, size_t size)
{
  (void)size;
  return (size_t)sprintf(text, "%u.%02u", key[0] >> 5, key[0] & 31);
}

static size_t
hex_text(char *text, const uint8_t *key, size_t size)
{
  for(size_t i = 0; i < size; i++) {
    sprintf(text + 2 * i, "%02x", key[i]);
  }
  return 2 * size;
}

/* Bytes that are no ASCII text of a path are shown in hex, as in a URI. */
static size_t
path_text(char *text, const uint8_t *key, size_t size)
{
  memcpy(text, key, size);
  return size;
}

/* The value of an option's delta or length (RFC 7252, 3.1); -1: not whole, or reserved. */
static long
extended(unsigned nibble, const uint8_t **from, const uint8_t *end)
{
  long value = nibble;

  if(nibble == 13 && *from < end) {
    value = 13 + **from;
    *from += 1;
  } else if(nibble == 14 && end - *from >= 2) {
    value = 269 + (long)big16(*from);
    *from += 2;
  } else if(nibble >= 13) {
    return -1;
  }
  return value;
}

static void
coap_options(struct frame *frame, const uint8_t *from)
{
  char path[LONGEST_PATH];
  size_t used = 0;
  long option = 0;

  while(from < frame->end && *from != 0xFF) {
    unsigned head = *from++;
    long delta = extended(head >> 4, &from, frame->end), size = extended(head & 15, &from, frame->end);
    if(delta < 0 || size < 0 || frame->end - from < size) {
      if(!row_has(frame->row, F_frag_size)) {
        dissect_flaw(frame, W_SHORT_COAP);
      }
      break;
    }
    option += delta;
    if(option == URI_PATH && used + 1 < sizeof(path)) {
      path[used++] = '/';
      for(long i = 0; i < size && used + 3 < sizeof(path); i++) {
        if(from[i] > ' ' && from[i] < 0x7F && from[i] != '%') {
          path[used++] = (char)from[i];
        } else {
          used += (size_t)sprintf(path + used, "%%%02X", from[i]);
        }
      }
    }
    from += size;
  }
  if(used > 0) {
    set(frame, F_coap_path, dictionary_intern(&paths, path, used, path_text));
  }
}

static void
coap(struct frame *frame, const uint8_t *from)
{
  static const enum word TYPES[] = {W_CON, W_NON, W_ACK, W_RST};
  size_t left = (size_t)(frame->end - from), token;

  if(left < 4 || from[0] >> 6 != 1 || (token = from[0] & 15) > LONGEST_TOKEN || left < 4 + token) {
    dissect_flaw(frame, W_SHORT_COAP);
    return;
  }
  set(frame, F_coap_type, TYPES[from[0] >> 4 & 3]);
  set(frame, F_coap_code, dictionary_intern(&codes, from + 1, 1, code_text));
  set(frame, F_coap_mid, big16(from + 2));
  if(token > 0) {
    set(frame, F_coap_token, dictionary_intern(&tokens, from + 4, token, hex_text));
  }
  coap_options(frame, from + 4 + token);
}

static uint32_t
sum_of(const uint8_t *bytes, size_t size)
{
  uint32_t sum = 0;

  for(size_t i = 0; i + 1 < size; i += 2) {
    sum += big16(bytes + i);
  }
  return sum + (size % 2 > 0 ? (uint32_t)bytes[size - 1] << 8 : 0);
}

void
udp_check(size_t row, unsigned checksum, const uint8_t *payload, size_t size)
{
  uint32_t length = UDP_HEADER + (uint32_t)size; /* of the pseudo header, and of UDP's own */
  uint32_t sum = 2 * length + UDP + checksum;
  int64_t destination;

  if(has(&frames, row, F_flaw)) {
    return;
  }
  destination = value(&frames, row, has(&frames, row, F_final_dst) ? F_final_dst : F_ip_dst);
  sum += sum_of(ip_bytes(value(&frames, row, F_ip_src)), IP_SIZE) + sum_of(ip_bytes(destination), IP_SIZE);
  sum += (uint32_t)value(&frames, row, F_src_port) + (uint32_t)value(&frames, row, F_dst_port) + sum_of(payload, size);
  while(sum > 0xFFFF) {
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  if(sum != 0xFFFF) {
    table_replace(&frames, row, F_flaw, W_BAD_CHECKSUM);
  }
}

void
dissect_udp_payload(struct frame *frame, int from_port, int to_port, const uint8_t *from, unsigned checksum)
{
  frame->checksum = checksum;
  set(frame, F_src_port, from_port);
  set(frame, F_dst_port, to_port);
  dissect_payload(frame, from);
  if(from_port == COAP_PORT || to_port == COAP_PORT) {
    coap(frame, from);
  }
}

static void
udp(struct frame *frame, const uint8_t *from)
{
  size_t left = (size_t)(frame->end - from), length;

  if(left < UDP_HEADER) {
    dissect_flaw(frame, W_SHORT_UDP);
    return;
  }
  length = big16(from + 4);
  if(length != left && !row_has(frame->row, F_frag_size)) {
    dissect_flaw(frame, W_LONG_UDP);
    if(length >= UDP_HEADER && length < left) {
      frame->end = from + length;
    }
  }
  dissect_udp_payload(frame, (int)big16(from), (int)big16(from + 2), from + UDP_HEADER, big16(from + 6));
}

static void
tcp(struct frame *frame, const uint8_t *from)
{
  size_t left = (size_t)(frame->end - from), header;

  if(left < TCP_HEADER || (header = 4u * (from[12] >> 4)) < TCP_HEADER || left < header) {
    dissect_flaw(frame, W_SHORT_TCP);
    return;
  }
  set(frame, F_src_port, big16(from));
  set(frame, F_dst_port, big16(from + 2));
  set(frame, F_tcp_seq, big32(from + 4));
  set(frame, F_tcp_ack, big32(from + 8));
  set(frame, F_tcp_flags, (from[12] & 15) << 8 | from[13]);
  dissect_payload(frame, from + header);
}

static void
prefix_entry(struct row *row, unsigned column, const uint8_t *from, size_t size)
{
  uint8_t address[IP_SIZE] = {0};

  memcpy(address, from, size < IP_SIZE ? size : IP_SIZE);
  row_set(row, column, ip_entry(address));
}

static void
rpl_option(struct row *row, unsigned kind, const uint8_t *from, size_t size)
{
  switch(kind) {
  case 4: /* DODAG configuration */
    if(size >= 14) {
      row_set(row, R_interval_doublings, from[1]);
      row_set(row, R_interval_min, from[2]);
      row_set(row, R_redundancy, from[3]);
      row_set(row, R_max_rank_increase, big16(from + 4));
      row_set(row, R_min_hop_rank_increase, big16(from + 6));
      row_set(row, R_ocp, big16(from + 8));
      row_set(row, R_default_lifetime, from[11]);
      row_set(row, R_lifetime_unit, big16(from + 12));
    }
    break;
  case 5: /* target */
    if(size >= 2) {
      if(!row_has(row, R_targets)) {
        row_set(row, R_target_length, from[1]);
        prefix_entry(row, R_target, from + 2, size - 2);
        row_set(row, R_targets, 0);
      }
      row->value[R_targets]++;
    }
    break;
  case 6: /* transit information */
    if(size >= 4 && !row_has(row, R_path_lifetime)) {
      row_set(row, R_path_sequence, from[2]);
      row_set(row, R_path_lifetime, from[3]);
      if(size >= 4 + IP_SIZE) {
        row_set(row, R_parent, ip_entry(from + 4));
      }
    }
    break;
  case 8: /* prefix information */
    if(size >= 14 + IP_SIZE) {
      row_set(row, R_prefix_length, from[0]);
      row_set(row, R_prefix, ip_entry(from + 14));
    }
    break;
  }
}

/* A message of RPL behind the checksum. */
static void
rpl_message(struct frame *frame, unsigned code, const uint8_t *from)
{
  static const enum word KINDS[] = {W_DIS, W_DIO, W_DAO, W_DAO_ACK};
  static const enum word NETWORKS[] = {W_RPL_DIS, W_RPL_DIO, W_RPL_DAO, W_RPL_DAO_ACK};
  static const size_t SIZES[] = {2, 24, 4, 4};
  size_t left = (size_t)(frame->end - from), size;
  bool whole = !row_has(frame->row, F_frag_size);
  struct row row;

  if(code > 3) { /* secure messages among them */
    set(frame, F_rpl_kind, W_OTHER_RPL);
    return;
  }
  size = SIZES[code] + ((code == 2 && left > 1 && from[1] & 0x40) || (code == 3 && left > 1 && from[1] & 0x80) ? IP_SIZE : 0);
  if(left < size) {
    if(whole) {
      dissect_flaw(frame, W_SHORT_ICMP);
    }
    return;
  }
  row_clear(&row);
  row_set(&row, R_kind, KINDS[code]);
  row_set(&row, R_frame, frame->row->value[F_frame]);
  row_set(&row, R_t_us, frame->t_us);
  static const unsigned SAME[][2] = {{F_mote, R_mote}, {F_ip_src, R_ip_src}, {F_ip_dst, R_ip_dst}};
  for(unsigned i = 0; i < 3; i++) {
    if(row_has(frame->row, SAME[i][0])) {
      row_set(&row, SAME[i][1], frame->row->value[SAME[i][0]]);
    }
  }
  set(frame, F_rpl_kind, KINDS[code]);
  if(whole) {
    set(frame, F_network, NETWORKS[code]);
  }
  if(code > 0) {
    row_set(&row, R_instance, from[0]);
  }
  switch(code) {
  case 1:
    row_set(&row, R_version, from[1]);
    row_set(&row, R_rank, big16(from + 2));
    set(frame, F_rank, big16(from + 2));
    row_set(&row, R_grounded, from[4] >> 7);
    row_set(&row, R_mop, from[4] >> 3 & 7);
    row_set(&row, R_preference, from[4] & 7);
    row_set(&row, R_dtsn, from[5]);
    row_set(&row, R_dodag, ip_entry(from + 8));
    break;
  case 2:
    row_set(&row, R_ack_request, from[1] >> 7);
    row_set(&row, R_sequence, from[3]);
    if(from[1] & 0x40) {
      row_set(&row, R_dodag, ip_entry(from + 4));
    }
    break;
  case 3:
    row_set(&row, R_sequence, from[2]);
    row_set(&row, R_status, from[3]);
    if(from[1] & 0x80) {
      row_set(&row, R_dodag, ip_entry(from + 4));
    }
    break;
  }
  for(from += size; from < frame->end;) {
    if(*from == 0) {
      from++;
      continue;
    }
    if(frame->end - from < 2 || frame->end - from - 2 < from[1]) {
      if(whole) {
        dissect_flaw(frame, W_BAD_RPL);
      }
      break;
    }
    rpl_option(&row, from[0], from + 2, from[1]);
    from += 2 + from[1];
  }
  table_append(&rpl, &row);
}

static void
icmp(struct frame *frame, const uint8_t *from)
{
  size_t left = (size_t)(frame->end - from);

  if(left < 4) {
    dissect_flaw(frame, W_SHORT_ICMP);
    return;
  }
  set(frame, F_icmp_type, from[0]);
  set(frame, F_icmp_code, from[1]);
  dissect_payload(frame, from + 4);
  if((from[0] == ECHO_REQUEST || from[0] == ECHO_REPLY) && left >= 8) {
    set(frame, F_echo_id, big16(from + 4));
    set(frame, F_echo_seq, big16(from + 6));
  } else if(from[0] >= SOLICITATION && from[0] <= REDIRECT && left >= 24) {
    set(frame, F_nd_target, ip_entry(from + 8));
  } else if(from[0] == RPL_MESSAGE) {
    rpl_message(frame, from[1], from + 4);
  }
}

void
dissect_transport(struct frame *frame, int protocol, const uint8_t *from)
{
  size_t needed = protocol == UDP ? UDP_HEADER : protocol == TCP ? TCP_HEADER : 4;

  if(row_has(frame->row, F_frag_size) && from <= frame->end && (size_t)(frame->end - from) < needed) {
    frame->cut_protocol = protocol; /* the rest comes in a later fragment */
    frame->payload = from;
    return;
  }
  switch(protocol) {
  case UDP:
    udp(frame, from);
    break;
  case TCP:
    tcp(frame, from);
    break;
  case ICMP:
    icmp(frame, from);
    break;
  }
}
