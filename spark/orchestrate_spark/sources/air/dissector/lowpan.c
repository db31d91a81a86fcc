/* SPDX-License-Identifier: Apache-2.0 */
/* 6LoWPAN: RFC 4944, and the compression of headers of RFC 6282. */
#include "ip.h"

#include <string.h>

/* Writes the interface identifier that a link-layer address gives (RFC 4944, 6). */
static void
interface_of(uint8_t address[IP_SIZE], const struct link_address *link)
{
  uint8_t *id = address + 8;

  if(link->size == EXTENDED) {
    memcpy(id, link->bytes, EXTENDED);
    id[0] ^= 2;
  } else {
    memcpy(id, (const uint8_t[]){0, 0, 0, 0xFF, 0xFE, 0}, 6);
    id[6] = link->size == 2 ? link->bytes[0] : 0;
    id[7] = link->size == 2 ? link->bytes[1] : 0;
  }
}

/* Rebuilds a unicast address from its mode; returns how many bytes were in line, -1 if there are fewer, -2: no context. */
static int
unicast(const struct frame *frame, uint8_t address[IP_SIZE], bool by_context, unsigned context, unsigned mode,
        const struct link_address *link, const uint8_t *from)
{
  static const int SIZES[] = {16, 8, 2, 0};
  int size = by_context && mode == 0 ? 0 : SIZES[mode];

  memset(address, 0, IP_SIZE);
  if(frame->end - from < size) {
    return -1;
  }
  if(by_context && mode == 0) {
    return 0; /* the unspecified address (as a source) */
  }
  if(by_context) {
    if(!frame->settings->has_context[context]) {
      return -2;
    }
    memcpy(address, frame->settings->context[context], 8);
  } else if(mode != 0) {
    address[0] = 0xFE;
    address[1] = 0x80;
  }
  switch(mode) {
  case 0:
    memcpy(address, from, IP_SIZE);
    break;
  case 1:
    memcpy(address + 8, from, 8);
    break;
  case 2:
    memcpy(address + 8, (const uint8_t[]){0, 0, 0, 0xFF, 0xFE, 0}, 6);
    memcpy(address + 14, from, 2);
    break;
  default:
    interface_of(address, link);
  }
  return size;
}

static int
multicast(const struct frame *frame, uint8_t address[IP_SIZE], bool by_context, unsigned context, unsigned mode, const uint8_t *from)
{
  static const int SIZES[] = {16, 6, 4, 1};
  int size = by_context ? 6 : SIZES[mode];

  memset(address, 0, IP_SIZE);
  if(frame->end - from < size || (by_context && mode != 0)) {
    return -1;
  }
  address[0] = 0xFF;
  if(by_context) { /* RFC 3306 and 3956 */
    if(!frame->settings->has_context[context]) {
      return -2;
    }
    address[1] = from[0];
    address[2] = from[1];
    address[3] = 64;
    memcpy(address + 4, frame->settings->context[context], 8);
    memcpy(address + 12, from + 2, 4);
    return size;
  }
  switch(mode) {
  case 0:
    memcpy(address, from, IP_SIZE);
    break;
  case 1:
    address[1] = from[0];
    memcpy(address + 11, from + 1, 5);
    break;
  case 2:
    address[1] = from[0];
    memcpy(address + 13, from + 1, 3);
    break;
  default:
    address[1] = 2;
    address[15] = from[0];
  }
  return size;
}

static const uint8_t *iphc(struct frame *frame, const uint8_t *from, const struct link_address *source,
                           const struct link_address *destination, unsigned depth, size_t *plain);

/* The length that the header has when it is not compressed. */
static void
length_row(struct frame *frame, const uint8_t *from, unsigned depth, size_t plain)
{
  dissect_plain_from(frame, from, plain);
  if(depth == 0) {
    size_t whole = row_has(frame->row, F_frag_size) ? (size_t)frame->row->value[F_frag_size] : plain + (size_t)(frame->end - from);
    set(frame, F_ip_length, (int64_t)whole - IP_HEADER);
  }
}

static void
first_next_header(struct frame *frame, int kind)
{
  if(!row_has(frame->row, F_next_header)) {
    set(frame, F_next_header, kind);
  }
}

/* Headers that are compressed (RFC 6282, 4). `plain` counts the bytes that the headers have when they aren't. */
static void
next_headers(struct frame *frame, const uint8_t *from, unsigned depth, size_t *plain)
{
  static const int KINDS[] = {HOP_BY_HOP, ROUTING, FRAGMENT, DESTINATION, MOBILITY, -1, -1, IP_IN_IP};
  unsigned top = depth;

  for(; depth < DEEPEST; depth++) {
    size_t left = (size_t)(frame->end - from);
    unsigned head;
    if(left < 1) {
      dissect_flaw(frame, W_SHORT_IPHC);
      return;
    }
    head = *from++;
    left--;
    if((head & 0xF8) == 0xF0) { /* UDP */
      static const unsigned SIZES[] = {4, 3, 3, 1};
      unsigned size = SIZES[head & 3], check = head & 4 ? 0 : 2;
      int from_port, to_port;
      set(frame, F_transport, UDP);
      first_next_header(frame, UDP);
      if(left < size + check) {
        dissect_flaw(frame, W_SHORT_UDP);
        return;
      }
      switch(head & 3) {
      case 0:
        from_port = (int)big16(from);
        to_port = (int)big16(from + 2);
        break;
      case 1:
        from_port = (int)big16(from);
        to_port = 0xF000 | from[2];
        break;
      case 2:
        from_port = 0xF000 | from[0];
        to_port = (int)big16(from + 1);
        break;
      default:
        from_port = 0xF0B0 | from[0] >> 4;
        to_port = 0xF0B0 | (from[0] & 15);
      }
      *plain += 8;
      length_row(frame, from + size + check, top, *plain);
      dissect_udp_payload(frame, from_port, to_port, from + size + check, check > 0 ? big16(from + size) : 0);
      return;
    }
    if((head & 0xF0) != 0xE0) {
      dissect_flaw(frame, W_BAD_DISPATCH);
      dissect_opaque(frame, from - 1);
      return;
    }
    int kind = KINDS[head >> 1 & 7];
    if(kind == IP_IN_IP) {
      set(frame, F_transport, IP_IN_IP);
      row_unset(frame->row, F_next_header); /* of the innermost header */
      iphc(frame, from, &frame->source, &frame->destination, depth + 1, plain);
      return;
    }
    if(kind < 0) {
      dissect_flaw(frame, W_BAD_DISPATCH);
      dissect_opaque(frame, from - 1);
      return;
    }
    set(frame, F_transport, kind);
    first_next_header(frame, kind);
    bool compressed = head & 1;
    int next = -1;
    if(!compressed) {
      if(left < 1) {
        dissect_flaw(frame, W_BAD_EXTENSION);
        return;
      }
      next = *from++;
      left--;
    }
    if(left < 1 || left - 1 < from[0]) {
      dissect_flaw(frame, W_BAD_EXTENSION);
      return;
    }
    size_t size = from[0];
    *plain += (2 + size + 7) / 8 * 8;
    if(kind == FRAGMENT) {
      if(size >= 2 && big16(from + 1) & 0xFFF8) {
        dissect_opaque(frame, from + 1 + size);
        return;
      }
    } else {
      ip_extension(frame, kind, from + 1, from + 1 + size);
    }
    from += 1 + size;
    if(next >= 0) {
      length_row(frame, from, top, *plain);
      dissect_ip_payload(frame, next, from, depth + 1);
      return;
    }
  }
  dissect_flaw(frame, W_TOO_DEEP);
}

static const uint8_t *
iphc(struct frame *frame, const uint8_t *from, const struct link_address *source, const struct link_address *destination,
     unsigned depth, size_t *plain)
{
  static const unsigned FLOW[] = {4, 3, 1, 0};
  static const int HOPS[] = {-1, 1, 64, 255};
  struct ip ip = {.next = -1};
  unsigned first, second, contexts = 0;
  int used;

  if(frame->end - from < 2) {
    dissect_flaw(frame, W_SHORT_IPHC);
    return NULL;
  }
  first = from[0];
  second = from[1];
  from += 2;
  if(second & 0x80) {
    if(from >= frame->end) {
      dissect_flaw(frame, W_SHORT_IPHC);
      return NULL;
    }
    contexts = *from++;
  }
  size_t inline_size = FLOW[first >> 3 & 3] + (first & 4 ? 0u : 1u) + ((first & 3) == 0 ? 1u : 0u);
  if((size_t)(frame->end - from) < inline_size) {
    dissect_flaw(frame, W_SHORT_IPHC);
    return NULL;
  }
  from += FLOW[first >> 3 & 3];
  if(!(first & 4)) {
    ip.next = *from++;
  }
  ip.hops = HOPS[first & 3] >= 0 ? HOPS[first & 3] : *from++;
  used = unicast(frame, ip.source, second & 0x40, contexts >> 4, second >> 4 & 3, source, from);
  if(used >= 0) {
    from += used;
    used = second & 8 ? multicast(frame, ip.destination, second & 4, contexts & 15, second & 3, from)
                      : (second & 7) == 4 ? -3 : unicast(frame, ip.destination, second & 4, contexts & 15, second & 3, destination, from);
  }
  if(used < 0) {
    dissect_flaw(frame, used == -1 ? W_SHORT_IPHC : used == -2 ? W_NO_CONTEXT : W_BAD_DISPATCH);
    return NULL;
  }
  from += used;
  if(depth == 0) {
    set(frame, F_network, row_has(frame->row, F_frag_size) ? W_FRAG1 : W_IPV6);
  }
  ip_row(frame, &ip);
  *plain += IP_HEADER;
  if(ip.next >= 0) {
    length_row(frame, from, depth, *plain);
    dissect_ip_payload(frame, ip.next, from, depth + 1);
  } else {
    next_headers(frame, from, depth, plain);
  }
  return from;
}

static void
datagram(struct frame *frame, const uint8_t *from)
{
  size_t plain = 0;

  if(from >= frame->end) {
    dissect_flaw(frame, W_SHORT_IPHC);
    set(frame, F_network, W_OPAQUE);
  } else if(*from == 0x41) {
    set(frame, F_network, row_has(frame->row, F_frag_size) ? W_FRAG1 : W_IPV6);
    if(frame->end - from >= 1 + IP_HEADER && from[1] >> 4 == 6) {
      dissect_plain_from(frame, from + 1, 0);
      ip_packet(frame, from + 1, 0);
    } else {
      dissect_flaw(frame, frame->end - from >= 1 + IP_HEADER ? W_NOT_IPV6 : W_SHORT_IPV6);
      dissect_opaque(frame, from);
    }
  } else if((*from & 0xE0) == 0x60) {
    if(iphc(frame, from, &frame->source, &frame->destination, 0, &plain) == NULL) {
      dissect_opaque(frame, from);
    }
  } else {
    dissect_opaque(frame, from);
  }
}

void
dissect_lowpan(struct frame *frame, const uint8_t *from)
{
  size_t left = (size_t)(frame->end - from);
  unsigned dispatch = *from;

  if((dispatch & 0xC0) == 0x80) { /* a mesh header (RFC 4944, 5.2): origin and final destination */
    size_t size = (dispatch & 0x20 ? 2 : 8) + (dispatch & 0x10 ? 2u : 8u) + ((dispatch & 15) == 15 ? 2u : 1u);
    if(left <= size) {
      dissect_flaw(frame, W_SHORT_IPHC);
      dissect_opaque(frame, from);
      return;
    }
    from += size;
    left -= size;
    dispatch = *from;
  }
  if(dispatch == 0x50 && left > 2) { /* a broadcast header */
    from += 2;
    left -= 2;
    dispatch = *from;
  }
  if((dispatch & 0xF8) == 0xC0 || (dispatch & 0xF8) == 0xE0) {
    bool first = (dispatch & 0xF8) == 0xC0;
    size_t header = first ? 4 : 5;
    if(left < header) {
      dissect_flaw(frame, W_SHORT_IPHC);
      dissect_opaque(frame, from);
      return;
    }
    set(frame, F_frag_size, big16(from) & 0x7FF);
    set(frame, F_frag_tag, big16(from + 2));
    set(frame, F_frag_offset, first ? 0 : 8 * from[4]);
    if(first) {
      datagram(frame, from + 4);
    } else {
      set(frame, F_network, W_FRAGN);
      dissect_payload(frame, from + 5);
    }
    return;
  }
  datagram(frame, from);
}
