/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 and its extension headers (RFC 8200, RFC 6553, RFC 6554). */
#include "ip.h"

#include <string.h>

enum { RPL_OPTION = 0x63, RPL_OPTION_9008 = 0x23, RPL_ROUTING = 3 };

void
ip_row(struct frame *frame, const struct ip *ip)
{
  set(frame, F_ip_src, ip_entry(ip->source));
  set(frame, F_ip_dst, ip_entry(ip->destination));
  set(frame, F_hop_limit, ip->hops);
  if(ip->next >= 0) {
    set(frame, F_next_header, ip->next);
  }
}

static void
options(struct frame *frame, const uint8_t *from, const uint8_t *end)
{
  while(from < end) {
    if(*from == 0) {
      from++;
      continue;
    }
    if(end - from < 2 || end - from - 2 < from[1]) {
      dissect_flaw(frame, W_BAD_EXTENSION);
      return;
    }
    if((*from == RPL_OPTION || *from == RPL_OPTION_9008) && from[1] >= 4) {
      set(frame, F_rpl_flags, from[2]);
      set(frame, F_sender_rank, big16(from + 4));
    }
    from += 2 + from[1];
  }
}

/* A source routing header (RFC 6554), from its routing type on. */
static void
routing(struct frame *frame, const uint8_t *from, const uint8_t *end)
{
  unsigned type, left, common, common_last, pad, bytes, count;
  size_t addresses_size;
  uint8_t last[IP_SIZE];

  if(end - from < 6) {
    dissect_flaw(frame, W_BAD_EXTENSION);
    return;
  }
  type = from[0];
  left = from[1];
  set(frame, F_segments_left, left);
  if(type != RPL_ROUTING) {
    return;
  }
  common = from[2] >> 4;
  common_last = from[2] & 15;
  pad = from[3] >> 4;
  from += 6;
  addresses_size = (size_t)(end - from);
  if(left == 0 && addresses_size == 0) {
    return; /* the root has its neighbours' messages carry it, too */
  }
  bytes = IP_SIZE - common_last;
  if(addresses_size < pad + bytes || (addresses_size - pad - bytes) % (IP_SIZE - common) != 0) {
    dissect_flaw(frame, W_BAD_ROUTING);
    return;
  }
  count = (unsigned)((addresses_size - pad - bytes) / (IP_SIZE - common)) + 1;
  if(left > count) {
    dissect_flaw(frame, W_BAD_ROUTING);
    return;
  }
  if(left == 0) {
    return;
  }
  if(row_has(frame->row, F_ip_dst)) {
    memcpy(last, ip_bytes(frame->row->value[F_ip_dst]), IP_SIZE);
    memcpy(last + common_last, end - pad - bytes, bytes);
    set(frame, F_final_dst, ip_entry(last));
  }
}

void
ip_extension(struct frame *frame, int kind, const uint8_t *from, const uint8_t *end)
{
  if(kind == HOP_BY_HOP || kind == DESTINATION) {
    options(frame, from, end);
  } else if(kind == ROUTING) {
    routing(frame, from, end);
  }
}

void
dissect_ip_payload(struct frame *frame, int next, const uint8_t *from, unsigned depth)
{
  for(; depth < DEEPEST; depth++) {
    size_t left = (size_t)(frame->end - from), size;
    set(frame, F_transport, next);
    switch(next) {
    case HOP_BY_HOP: case ROUTING: case DESTINATION: case MOBILITY:
      size = left < 2 ? 8 : 8u * from[1] + 8;
      if(left < size) {
        dissect_flaw(frame, W_BAD_EXTENSION);
        return;
      }
      ip_extension(frame, next, from + 2, from + size);
      next = from[0];
      from += size;
      continue;
    case FRAGMENT:
      if(left < 8) {
        dissect_flaw(frame, W_BAD_EXTENSION);
        return;
      }
      if(big16(from + 2) & 0xFFF8) { /* not the first: no header of the next layer */
        dissect_opaque(frame, from + 8);
        return;
      }
      next = from[0];
      from += 8;
      continue;
    case IP_IN_IP:
      ip_packet(frame, from, depth + 1);
      return;
    case UDP: case TCP: case ICMP:
      dissect_transport(frame, next, from);
      return;
    default:
      if(next != NO_NEXT) {
        dissect_payload(frame, from);
      }
      return;
    }
  }
  dissect_flaw(frame, W_TOO_DEEP);
}

void
ip_packet(struct frame *frame, const uint8_t *from, unsigned depth)
{
  struct ip ip;
  size_t left = (size_t)(frame->end - from), length;

  if(left < IP_HEADER) {
    dissect_flaw(frame, W_SHORT_IPV6);
    return;
  }
  if(from[0] >> 4 != 6) {
    dissect_flaw(frame, W_NOT_IPV6);
    return;
  }
  ip.next = from[6];
  ip.hops = from[7];
  memcpy(ip.source, from + 8, IP_SIZE);
  memcpy(ip.destination, from + 24, IP_SIZE);
  ip_row(frame, &ip);
  length = big16(from + 4);
  set(frame, F_ip_length, (int64_t)length);
  if(length > left - IP_HEADER && !row_has(frame->row, F_frag_size)) {
    dissect_flaw(frame, W_LONG_IPV6);
  } else if(length < left - IP_HEADER) { /* padding of the link layer */
    frame->end = from + IP_HEADER + length;
  }
  dissect_ip_payload(frame, ip.next, from + IP_HEADER, depth);
}
