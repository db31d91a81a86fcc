/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows datagrams over their hops.
 *
 * A hop is what a mote's link layer sends as one frame, with its retransmissions, or as the fragments of one datagram. A hop
 * belongs to the datagram that its mote received and has not forwarded yet, with the same addresses, ports, payload and a hop
 * limit that fits; so datagrams with equal content stay apart. A hop that continues none begins a datagram. What carries no
 * IPv6 header that can be read is a datagram of one hop.
 *
 * A record of the engine has the receptions. In a capture the link-layer acknowledgements stand for them.
 */
#include "matching.h"

#include <stdlib.h>
#include <string.h>

static struct dictionary fates = {.name = "fates"}, protocols = {.name = "protocols"};
static struct column datagram_columns[] = {
#define COLUMN(name, kind, dictionary) {#name, kind, dictionary, NULL, NULL, 0},
  DATAGRAM_COLUMNS(COLUMN)};
static struct column hop_columns[] = {HOP_COLUMNS(COLUMN)};
static struct column traffic_columns[] = {TRAFFIC_COLUMNS(COLUMN)};
static struct column link_columns[] = {LINK_COLUMNS(COLUMN)};
struct table datagrams_table = {"datagrams", datagram_columns, DATAGRAM_COLUMN_COUNT, 0, 0},
             hops_table = {"hops", hop_columns, HOP_COLUMN_COUNT, 0, 0},
             traffic = {"traffic", traffic_columns, TRAFFIC_COLUMN_COUNT, 0, 0}, links = {"links", link_columns, LINK_COLUMN_COUNT, 0, 0};

/* Entries of `fates`: how a datagram ended, then why a hop was not received. */
enum fate { DELIVERED, LOST, NOT_FORWARDED, LEFT_THE_AIR, MULTICAST, UNDER_WAY, OUT_OF_RANGE, FIRST_OUTCOME };
static const char *const FATES[] = {"delivered", "lost", "not-forwarded", "left-the-air", "multicast", "under-way", "out-of-range",
                                    "received", "collided", "below-sensitivity", "radio-off", "busy-sending", "wrong-channel",
                                    "lost-by-chance", "cut-short"};

/* Entries of `protocols`: what a frame or a datagram is for. */
enum protocol { ACK_FRAME, BEACON_FRAME, COMMAND_FRAME, KEEP_ALIVE, SIX_TOP, RPL, NEIGHBOUR_DISCOVERY, ICMP_OTHER, ECHO, UDP_DATA, TCP_DATA,
                NULLNET_DATA, SECURED_DATA, OPAQUE_DATA };
static const char *const PROTOCOLS[] = {"ack", "beacon", "command", "keep-alive", "6p", "rpl", "nd", "icmp", "echo", "udp", "tcp", "nullnet",
                                        "secured", "opaque"};

enum { NONE = -1, ANSWERED = -2, UDP = 17, TCP = 6, ICMP = 58, ECHO_REQUEST = 128, ECHO_REPLY = 129 };
static const int64_t SECOND = 1000000;
/* A link layer's retransmissions are over by then: those of TSCH wait for whole slotframes. */
static const int64_t LONGEST_HOP_US = 60 * SECOND;
/* MPL and other multicast of IPv6 beyond the link send an unchanged packet again within this time. */
static const int64_t LONGEST_FLOOD_US = 30 * SECOND;
/* A datagram whose last frame ended so shortly before the record may still be in a queue. */
static const int64_t MAY_BE_QUEUED_US = 10 * SECOND;
/* An acknowledgement begins at most so long after its frame (IEEE 802.15.4-2015: 192 us; TSCH: 1 ms, in Cooja up to 2). */
static const int64_t ACK_WAIT_US = 3000;

/* From 64 bits to a number. Keys are hashes of what they stand for. */
struct map {
  struct place {
    uint64_t key;
    uint32_t value; /* from 1; 0: free */
  } *places;
  size_t count, room;
};

static uint64_t
mixed(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static struct place *
place_of(const struct map *map, uint64_t key)
{
  size_t at = (size_t)mixed(0, key) & (map->room - 1);

  while(map->places[at].value != 0 && map->places[at].key != key) {
    at = (at + 1) & (map->room - 1);
  }
  return &map->places[at];
}

static int32_t
map_get(const struct map *map, uint64_t key)
{
  return map->room > 0 ? (int32_t)place_of(map, key)->value - 1 : NONE;
}

static void
map_put(struct map *map, uint64_t key, int32_t value)
{
  if(2 * map->count >= map->room) {
    struct map more = {grown(NULL, 0, (map->room > 0 ? 2 * map->room : 1024) * sizeof(*map->places)), map->count,
                       map->room > 0 ? 2 * map->room : 1024};
    for(size_t i = 0; i < map->room; i++) {
      if(map->places[i].value != 0) {
        *place_of(&more, map->places[i].key) = map->places[i];
      }
    }
    free(map->places);
    *map = more;
  }
  struct place *place = place_of(map, key);
  map->count += place->value == 0;
  *place = (struct place){key, (uint32_t)value + 1};
}

struct hop {
  int32_t datagram, node, to; /* `to`: NONE if everybody, or nobody who is there */
  bool everybody, acked;
  int16_t number;
  int seq, hop_limit;
  size_t first_frame, last_frame;
  uint32_t frames, receivers, repeats;
  int64_t last_us, end_us;
  int32_t arrivals; /* the first one; NONE */
  int32_t pieces;   /* of a fragmented datagram: the first one; NONE */
  bool fragmented, all_sent;
};

/* A fragment that was sent on a hop. */
struct piece {
  int32_t offset, next;
  uint32_t sent; /* its number on the hop, from 0 */
};

/* A receiver of a hop. */
struct arrival {
  int32_t node, hop, next_of_hop, next_held;
  bool whole, forwarded;
  uint64_t got; /* the fragments that it has, by number */
};

struct datagram {
  size_t row; /* of its first frame */
  int32_t origin, destination; /* nodes */
  bool multicast, ip;
  uint64_t key;
  int32_t last_hop, answers;
  int64_t end_us;
  int16_t hops;
  uint32_t delivered, duplicates, transmissions;
};

#define LIST(type) struct { struct type *items; size_t count, room; }
static LIST(hop) hops;
static LIST(piece) pieces;
static LIST(arrival) arrivals;
static LIST(datagram) followed;

#define ADDED(list) \
  (list.count == list.room \
     ? (list.items = grown(list.items, list.room * sizeof(*list.items), (list.room > 0 ? 2 * list.room : 256) * sizeof(*list.items)), \
        list.room = list.room > 0 ? 2 * list.room : 256) \
     : 0, \
   &list.items[list.count++])

static struct map nodes, node_of_link, owners, hop_of_content, held, of_content, received_by;
static int32_t *motes; /* of nodes; in a capture, entries of addresses */
static size_t node_count, node_room;
static uint32_t *link_keys; /* where the bytes of an address begin in its dictionary */
static uint32_t *reception_begin, *reception_order;
static int32_t *hop_of_frame;
static bool is_engine;

static int64_t
value(const struct table *table, size_t row, unsigned column)
{
  const struct column *field = &table->columns[column];

  switch(field->kind) {
  case BOOLEAN: return field->data[row / 8] >> row % 8 & 1;
  case INT8: return (int8_t)field->data[row];
  case INT16: return ((int16_t *)(void *)field->data)[row];
  case INT64: return ((int64_t *)(void *)field->data)[row];
  default: return ((int32_t *)(void *)field->data)[row];
  }
}

static bool
has(const struct table *table, size_t row, unsigned column)
{
  const struct column *field = &table->columns[column];
  return field->present > 0 && (field->valid[row / 8] >> row % 8 & 1);
}

static int64_t
field(size_t frame, unsigned column)
{
  return has(&frames, frame, column) ? value(&frames, frame, column) : NONE;
}

static int64_t
end_of(size_t frame)
{
  int64_t end = field(frame, F_end_us);
  return end >= 0 ? end : value(&frames, frame, F_t_us);
}

static const uint8_t *
ip_bytes(int64_t entry)
{
  return ips.keys + (IP_SIZE + 1) * (size_t)entry + 1;
}

/* The code of a CoAP message, which the dictionary has as a key of one byte. */
static uint8_t
coap_code(size_t frame)
{
  return codes.keys[2 * (size_t)field(frame, F_coap_code) + 1];
}

static bool
is_broadcast(int64_t link)
{
  return link < 0 || (addresses.keys[link_keys[link]] == 2 && memcmp(addresses.keys + link_keys[link] + 1, "\xff\xff", 2) == 0);
}

/* A node is a mote in a record, and who has a link-layer address in a capture. */
static int32_t
node_of(int64_t identity)
{
  int32_t node = map_get(&nodes, (uint64_t)identity);

  if(node == NONE) {
    if(node_count == node_room) {
      motes = grown(motes, node_room * sizeof(*motes), (node_room > 0 ? 2 * node_room : 64) * sizeof(*motes));
      node_room = node_room > 0 ? 2 * node_room : 64;
    }
    node = (int32_t)node_count++;
    motes[node] = (int32_t)identity;
    map_put(&nodes, (uint64_t)identity, node);
  }
  return node;
}

static int32_t
sender_of(size_t frame)
{
  int64_t identity = field(frame, is_engine ? F_mote : F_src);
  return has(&frames, frame, is_engine ? F_mote : F_src) ? node_of(identity) : NONE;
}

static enum protocol
protocol_of(size_t frame)
{
  int64_t type = field(frame, F_type), network = field(frame, F_network), transport = field(frame, F_transport), icmp = field(frame, F_icmp_type);

  if(type != W_DATA) {
    return type == W_ACK ? ACK_FRAME : type == W_BEACON ? BEACON_FRAME : type == W_COMMAND ? COMMAND_FRAME : OPAQUE_DATA;
  }
  switch(network) {
  case W_EMPTY: return KEEP_ALIVE;
  case W_SIXP: return SIX_TOP;
  case W_NULLNET: return NULLNET_DATA;
  case W_SECURED: return SECURED_DATA;
  case W_OPAQUE: return OPAQUE_DATA;
  }
  switch(transport) {
  case UDP: return UDP_DATA;
  case TCP: return TCP_DATA;
  case ICMP:
    return has(&frames, frame, F_rpl_kind) ? RPL : icmp == ECHO_REQUEST || icmp == ECHO_REPLY ? ECHO : icmp >= 133 && icmp <= 137 ? NEIGHBOUR_DISCOVERY
                                                                                                                       : ICMP_OTHER;
  }
  return OPAQUE_DATA;
}

/* The acknowledgement that follows a frame; the frame itself if none does. */
static size_t
ack_of(size_t frame)
{
  int64_t seq = field(frame, F_seq), end = end_of(frame);

  for(size_t next = frame + 1; field(frame, F_ack_request) == 1 && next < frames.rows && value(&frames, next, F_t_us) <= end + ACK_WAIT_US; next++) {
    if(field(next, F_type) == W_ACK && field(next, F_seq) == seq && value(&frames, next, F_t_us) >= end &&
       field(next, F_channel) == field(frame, F_channel)) {
      return next;
    }
  }
  return frame;
}

static int64_t
final_destination(size_t frame)
{
  int64_t last = field(frame, F_final_dst);
  return last >= 0 ? last : field(frame, F_ip_dst);
}

/* The interface identifier that a link-layer address gives (RFC 4944, 6), as a key. */
static uint64_t
interface_key(const uint8_t id[8])
{
  return hash_of(id, 8);
}

static void
learn_link(int64_t link, int32_t node)
{
  if(link < 0 || node == NONE || map_get(&node_of_link, (uint64_t)link) != NONE) {
    return;
  }
  const uint8_t *bytes = addresses.keys + link_keys[link] + 1;
  uint8_t id[8] = {0, 0, 0, 0xFF, 0xFE, 0, bytes[0], bytes[1]};
  if(addresses.keys[link_keys[link]] == EXTENDED) {
    memcpy(id, bytes, EXTENDED);
    id[0] ^= 2;
  }
  map_put(&node_of_link, (uint64_t)link, node);
  if(map_get(&owners, interface_key(id)) == NONE) {
    map_put(&owners, interface_key(id), node);
  }
}

/* A mote has the addresses with which it sends, and those that it acknowledges. */
static void
learn_links(void)
{
  size_t at = 0;

  link_keys = grown(NULL, 0, (addresses.count + 1) * sizeof(*link_keys));
  for(uint32_t entry = 0; entry < addresses.count; entry++) {
    link_keys[entry] = (uint32_t)at;
    at += addresses.keys[at] + 1u;
  }
  for(size_t frame = 0; frame < frames.rows; frame++) {
    learn_link(field(frame, F_src), sender_of(frame));
  }
  for(size_t frame = 0; frame < frames.rows && is_engine; frame++) {
    int64_t link = field(frame, F_dst);
    if(!is_broadcast(link) && map_get(&node_of_link, (uint64_t)link) == NONE) {
      size_t ack = ack_of(frame);
      learn_link(link, ack > frame ? sender_of(ack) : NONE);
    }
  }
}

/* The node that has an address of IPv6; NONE: nobody who sends with it. */
static int32_t
owner_of(int64_t ip)
{
  int32_t node = ip < 0 ? NONE : map_get(&owners, interface_key(ip_bytes(ip) + 8));
  return node != NONE || ip < 0 ? node : map_get(&owners, ~(uint64_t)ip);
}

/* An address that no link-layer address gives belongs to the first node that sends with it: its own, or that of a host behind it. */
static void
learn_owners(void)
{
  for(size_t frame = 0; frame < frames.rows; frame++) {
    int64_t ip = field(frame, F_ip_src);
    int32_t node = sender_of(frame);
    if(ip >= 0 && node != NONE && owner_of(ip) == NONE) {
      map_put(&owners, ~(uint64_t)ip, node);
    }
  }
}

static void
sort_receptions(void)
{
  reception_begin = grown(NULL, 0, (frames.rows + 2) * sizeof(*reception_begin));
  reception_order = grown(NULL, 0, (receptions.rows + 1) * sizeof(*reception_order));
  for(size_t i = 0; i < receptions.rows; i++) {
    reception_begin[value(&receptions, i, C_frame) + 1]++;
  }
  for(size_t frame = 0; frame < frames.rows; frame++) {
    reception_begin[frame + 1] += reception_begin[frame];
  }
  uint32_t *next = grown(NULL, 0, (frames.rows + 1) * sizeof(*next));
  memcpy(next, reception_begin, (frames.rows + 1) * sizeof(*next));
  for(size_t i = 0; i < receptions.rows; i++) {
    reception_order[next[value(&receptions, i, C_frame)]++] = (uint32_t)i;
  }
  free(next);
}

static bool
did_receive(size_t frame, int32_t node, int64_t *outcome)
{
  *outcome = NONE;
  for(uint32_t i = reception_begin[frame]; i < reception_begin[frame + 1]; i++) {
    if(node_of(value(&receptions, reception_order[i], C_mote)) == node) {
      *outcome = value(&receptions, reception_order[i], C_outcome);
      return *outcome == W_RECEIVED;
    }
  }
  return false;
}

/* Whether a frame was acknowledged; in a record by a frame that its sender received. */
static bool
is_acked(size_t frame, int32_t sender)
{
  size_t ack = ack_of(frame);
  int64_t outcome;

  return ack > frame && (!is_engine || did_receive(ack, sender, &outcome));
}

/* What stays the same on all hops of a datagram. */
static uint64_t
content_of(size_t frame, bool ip, int32_t sender)
{
  static const unsigned SAME[] = {F_ip_src, F_transport, F_src_port, F_dst_port, F_icmp_type, F_icmp_code, F_tcp_seq, F_tcp_ack,
                                  F_tcp_flags, F_coap_mid};
  uint64_t key = mixed(ip, (uint64_t)final_destination(frame));

  if(!ip) {
    key = mixed(mixed(key, (uint64_t)sender), (uint64_t)field(frame, F_dst));
  }
  for(unsigned i = 0; ip && i < sizeof(SAME) / sizeof(SAME[0]); i++) {
    key = mixed(key, (uint64_t)field(frame, SAME[i]));
  }
  if(has(&frames, frame, F_payload_hash)) {
    return mixed(key, (uint64_t)value(&frames, frame, F_payload_hash));
  }
  return mixed(mixed(key, (uint64_t)field(frame, F_frag_size)), (uint64_t)field(frame, F_payload_length));
}

static int32_t
new_datagram(size_t frame, bool ip, int32_t sender, uint64_t key)
{
  struct datagram *datagram;
  int64_t last = final_destination(frame);
  bool multicast = ip && last >= 0 && ip_bytes(last)[0] == 0xFF;
  int32_t number = map_get(&of_content, key);

  if(number != NONE && multicast && (ip_bytes(last)[1] & 15) > 2 && followed.items[number].origin == sender &&
     value(&frames, frame, F_t_us) - value(&frames, followed.items[number].row, F_t_us) <= LONGEST_FLOOD_US) {
    return number;
  }
  number = (int32_t)followed.count;
  datagram = ADDED(followed);
  *datagram = (struct datagram){.row = frame, .ip = ip, .key = key, .multicast = multicast, .last_hop = NONE, .answers = NONE, .end_us = NONE};
  datagram->origin = !ip || owner_of(field(frame, F_ip_src)) == sender ? sender : NONE;
  if(!ip) {
    datagram->multicast = is_broadcast(field(frame, F_dst));
    datagram->destination = datagram->multicast ? NONE : map_get(&node_of_link, (uint64_t)field(frame, F_dst));
  } else {
    datagram->destination = multicast ? NONE : owner_of(last);
  }
  map_put(&of_content, key, number);
  return number;
}

/*
 * The arrival that a hop continues; NONE. Among arrivals with equal content it is the latest: if an earlier one was dropped, no
 * datagram is taken for another; if both are sent on, they have at most changed places. A datagram that its origin sends may
 * have come back to it, one hop older.
 */
static int32_t
continued(int32_t sender, uint64_t key, int hop_limit, bool originates, int64_t now)
{
  int32_t fits = NONE, waits = NONE, latest = NONE;

  for(int32_t at = map_get(&held, mixed(key, (uint64_t)sender)); at != NONE; at = arrivals.items[at].next_held) {
    const struct hop *hop = &hops.items[arrivals.items[at].hop];
    if(!arrivals.items[at].forwarded && now - hop->end_us <= LONGEST_HOP_US) {
      waits = at;
      fits = hop->hop_limit == hop_limit + 1 ? at : fits;
    }
    latest = at;
  }
  return fits != NONE || originates ? fits : waits != NONE ? waits : latest;
}

static int32_t
new_hop(size_t frame, bool ip, int32_t sender, uint64_t key)
{
  int hop_limit = (int)field(frame, F_hop_limit);
  int64_t link = field(frame, F_dst);
  bool originates = ip && owner_of(field(frame, F_ip_src)) == sender;
  int32_t from = ip ? continued(sender, key, hop_limit, originates, value(&frames, frame, F_t_us)) : NONE, datagram, number = (int32_t)hops.count;
  int16_t place = 1;

  if(from != NONE) {
    arrivals.items[from].forwarded = true;
    datagram = hops.items[arrivals.items[from].hop].datagram;
    place = (int16_t)(hops.items[arrivals.items[from].hop].number + 1);
  } else {
    datagram = new_datagram(frame, ip, sender, key);
  }
  struct hop *hop = ADDED(hops);
  *hop = (struct hop){
    .datagram = datagram, .node = sender, .number = place, .seq = (int)field(frame, F_seq), .hop_limit = hop_limit, .first_frame = frame,
    .everybody = is_broadcast(link), .end_us = NONE, .arrivals = NONE, .pieces = NONE, .fragmented = has(&frames, frame, F_frag_size),
  };
  hop->to = hop->everybody ? NONE : map_get(&node_of_link, (uint64_t)link);
  followed.items[datagram].last_hop = number;
  return number;
}

/* The hop on which a frame is sent: that of an earlier one if it is a retransmission or a further fragment. */
static int32_t
hop_of(size_t frame, int32_t sender)
{
  bool ip = has(&frames, frame, F_ip_src) && has(&frames, frame, F_ip_dst);
  int64_t first = field(frame, F_first_frame), now = value(&frames, frame, F_t_us);
  uint64_t key, content;
  int32_t number;

  if(value(&frames, frame, F_network) == W_FRAGN) {
    return first >= 0 && (size_t)first < frame ? hop_of_frame[first] : NONE;
  }
  key = content_of(frame, ip, sender);
  content = mixed(mixed(key, (uint64_t)sender), (uint64_t)field(frame, F_dst));
  number = map_get(&hop_of_content, content);
  if(number != NONE) {
    const struct hop *hop = &hops.items[number];
    if(hop->seq == field(frame, F_seq) && now - hop->last_us <= LONGEST_HOP_US && (hop->seq >= 0 || (!hop->acked && now - hop->last_us <= SECOND))) {
      return number;
    }
  }
  number = new_hop(frame, ip, sender, key);
  map_put(&hop_of_content, content, number);
  return number;
}

static uint64_t
piece_of(struct hop *hop, size_t frame)
{
  int32_t offset = value(&frames, frame, F_network) == W_FRAGN ? (int32_t)field(frame, F_frag_offset) : 0, at;
  uint32_t count = 0;

  for(at = hop->pieces; at != NONE; at = pieces.items[at].next, count++) {
    if(pieces.items[at].offset == offset) {
      return UINT64_C(1) << pieces.items[at].sent % 64;
    }
  }
  at = (int32_t)pieces.count;
  *ADDED(pieces) = (struct piece){offset, hop->pieces, count};
  hop->pieces = at;
  return UINT64_C(1) << count % 64;
}

static void
deliver(int32_t number, int32_t node, const struct hop *hop, int64_t now)
{
  struct datagram *datagram = &followed.items[number];
  uint64_t key = mixed(mixed(0x7EC0, (uint64_t)number), (uint64_t)node);

  if(map_get(&received_by, key) != NONE) {
    datagram->duplicates++;
    return;
  }
  map_put(&received_by, key, 0);
  if(datagram->delivered++ == 0) {
    datagram->end_us = now;
    datagram->hops = hop->number;
  }
}

static void
hold(uint64_t key, int32_t arrival)
{
  int32_t at = map_get(&held, key);

  if(at == NONE) {
    map_put(&held, key, arrival);
    return;
  }
  while(arrivals.items[at].next_held != NONE) {
    at = arrivals.items[at].next_held;
  }
  arrivals.items[at].next_held = arrival;
}

static void
arrive(int32_t number, int32_t node, uint64_t piece, int64_t now)
{
  struct hop *hop = &hops.items[number];
  struct datagram *datagram = &followed.items[hop->datagram];
  int32_t at;

  for(at = hop->arrivals; at != NONE && arrivals.items[at].node != node; at = arrivals.items[at].next_of_hop) {
  }
  if(at == NONE) {
    at = (int32_t)arrivals.count;
    *ADDED(arrivals) = (struct arrival){.node = node, .hop = number, .next_of_hop = hop->arrivals, .next_held = NONE};
    hop->arrivals = at;
  }
  struct arrival *arrival = &arrivals.items[at];
  if(arrival->whole) {
    hop->repeats += !hop->fragmented;
    return;
  }
  arrival->got |= piece;
  if(hop->fragmented) {
    uint32_t sent = pieces.items[hop->pieces].sent + 1;
    uint64_t all = sent >= 64 ? UINT64_MAX : (UINT64_C(1) << sent) - 1;
    if(!hop->all_sent || arrival->got != all) {
      return;
    }
  }
  arrival->whole = true;
  if(hop->receivers++ == 0) {
    hop->end_us = now;
  }
  if(datagram->multicast || datagram->destination == node) {
    deliver(hop->datagram, node, hop, now);
  }
  if(datagram->ip && datagram->destination != node) {
    hold(mixed(datagram->key, (uint64_t)node), at);
  }
}

static void
follow(size_t frame, int32_t sender)
{
  int32_t number = hop_of(frame, sender);
  int64_t outcome;

  hop_of_frame[frame] = number;
  if(number == NONE) {
    return;
  }
  struct hop *hop = &hops.items[number];
  uint64_t piece = hop->fragmented ? piece_of(hop, frame) : 1;
  if(hop->fragmented && value(&frames, frame, F_network) == W_FRAGN &&
     field(frame, F_frag_offset) + field(frame, F_payload_length) >= field(frame, F_frag_size)) {
    hop->all_sent = true;
  }
  hop->frames++;
  hop->last_frame = frame;
  hop->last_us = end_of(frame);
  hop->acked |= is_acked(frame, sender);
  followed.items[hop->datagram].transmissions++;
  if(!is_engine) {
    if(hop->to != NONE && is_acked(frame, sender)) {
      arrive(number, hop->to, piece, hop->last_us);
    }
    return;
  }
  for(uint32_t i = reception_begin[frame]; i < reception_begin[frame + 1]; i++) {
    size_t reception = reception_order[i];
    outcome = value(&receptions, reception, C_outcome);
    int32_t node = node_of(value(&receptions, reception, C_mote));
    if(outcome == W_RECEIVED && (hop->everybody || node == hop->to)) {
      arrive(number, node, piece, hop->last_us);
      hop = &hops.items[number];
    }
  }
}

/*
 * Pairs an answer with its request: by the token or the message id of CoAP, by the numbers of an echo, or by addresses and
 * ports turned round. In the last case the side that was heard first is the one that asks.
 */
static void
pair(void)
{
  struct map open = {0}, first = {0};

  for(size_t number = 0; number < followed.count; number++) {
    struct datagram *datagram = &followed.items[number];
    size_t frame = datagram->row;
    int64_t transport = field(frame, F_transport), type = field(frame, F_icmp_type);
    uint64_t ends[2] = {(uint64_t)field(frame, F_ip_src), (uint64_t)final_destination(frame)}, name[2];
    bool asks, may_answer;

    if(!datagram->ip || datagram->multicast || (transport != UDP && type != ECHO_REQUEST && type != ECHO_REPLY)) {
      continue;
    }
    for(int turned = 0; turned < 2; turned++) {
      name[turned] = mixed(mixed(mixed(0, (uint64_t)transport), ends[turned]), ends[1 - turned]);
      name[turned] = mixed(name[turned], (uint64_t)field(frame, turned ? F_dst_port : F_src_port));
      name[turned] = mixed(name[turned], (uint64_t)field(frame, turned ? F_src_port : F_dst_port));
    }
    if(type == ECHO_REQUEST || type == ECHO_REPLY) {
      uint64_t echo = mixed((uint64_t)field(frame, F_echo_id), (uint64_t)field(frame, F_echo_seq));
      name[0] = mixed(name[0], echo);
      name[1] = mixed(name[1], echo);
      asks = type == ECHO_REQUEST;
      may_answer = !asks;
    } else if(has(&frames, frame, F_coap_code)) {
      uint8_t code = coap_code(frame);
      uint64_t exchange = has(&frames, frame, F_coap_token) && code != 0
                            ? mixed(1, (uint64_t)field(frame, F_coap_token))
                            : mixed(2, (uint64_t)field(frame, F_coap_mid));
      name[0] = mixed(name[0], exchange);
      name[1] = mixed(name[1], exchange);
      asks = code >> 5 == 0 && code != 0;
      may_answer = !asks;
    } else {
      if(map_get(&first, name[0]) == NONE && map_get(&first, name[1]) == NONE) {
        map_put(&first, name[0], 0);
      }
      asks = map_get(&first, name[0]) != NONE;
      may_answer = !asks;
    }
    int32_t request = may_answer ? map_get(&open, name[1]) : NONE;
    if(request >= 0 && followed.items[request].delivered > 0 &&
       followed.items[request].end_us <= value(&frames, frame, F_t_us)) {
      datagram->answers = request;
      map_put(&open, name[1], ANSWERED);
    }
    if(asks) {
      map_put(&open, name[0], (int32_t)number);
    }
  }
  free(open.places);
  free(first.places);
}

static void
mote(struct row *row, unsigned column, int32_t node)
{
  if(is_engine && node != NONE) {
    row_set(row, column, motes[node]);
  }
}

/* Why a hop was not received: the outcome of its last frame at the mote to which it went; NONE: not known. */
static int
cause_of(const struct hop *hop)
{
  int64_t outcome;

  if(!is_engine || hop->everybody || hop->to == NONE) {
    return NONE;
  }
  did_receive(hop->last_frame, hop->to, &outcome);
  if(outcome == W_RECEIVED) { /* another fragment was lost */
    for(size_t frame = hop->first_frame; frame <= hop->last_frame; frame++) {
      if(&hops.items[hop_of_frame[frame] == NONE ? 0 : hop_of_frame[frame]] == hop && hop_of_frame[frame] != NONE &&
         !did_receive(frame, hop->to, &outcome)) {
        break;
      }
    }
  }
  return outcome == NONE ? OUT_OF_RANGE : (int)(FIRST_OUTCOME + outcome - W_RECEIVED);
}

static void
copy(struct row *row, const unsigned (*pairs)[2], size_t count, size_t frame)
{
  for(size_t i = 0; i < count; i++) {
    if(has(&frames, frame, pairs[i][0])) {
      row_set(row, pairs[i][1], value(&frames, frame, pairs[i][0]));
    }
  }
}

static void
write_hops(void)
{
  static const unsigned SAME[][2] = {{F_t_us, H_t_us}, {F_dst, H_link_dst}};
  struct row row;

  for(size_t number = 0; number < hops.count; number++) {
    const struct hop *hop = &hops.items[number];
    row_clear(&row);
    row_set(&row, H_datagram, hop->datagram);
    row_set(&row, H_hop, hop->number);
    mote(&row, H_mote, hop->node);
    mote(&row, H_to, hop->to);
    copy(&row, SAME, sizeof(SAME) / sizeof(SAME[0]), hop->first_frame);
    row_set(&row, H_first_frame, (int64_t)hop->first_frame);
    row_set(&row, H_frames, hop->frames);
    row_set(&row, H_last_us, hop->last_us);
    if(hop->end_us != NONE) {
      row_set(&row, H_end_us, hop->end_us);
    }
    if(is_engine || !hop->everybody) {
      row_set(&row, H_receivers, hop->receivers);
    }
    row_set(&row, H_repeats, hop->repeats);
    if(!hop->everybody) {
      row_set(&row, H_acked, hop->acked);
    }
    if(hop->receivers == 0) {
      int cause = cause_of(hop);
      if(cause != NONE) {
        row_set(&row, H_cause, cause);
      }
    }
    table_append(&hops_table, &row);
  }
}

static void
write_fate(struct row *row, const struct datagram *datagram, int64_t end_us)
{
  const struct hop *last = &hops.items[datagram->last_hop];
  int32_t holder = last->receivers > 0 && last->to != NONE ? last->to : last->node;

  if(datagram->multicast) {
    row_set(row, D_fate, MULTICAST);
    return;
  }
  if(datagram->delivered > 0) {
    row_set(row, D_fate, DELIVERED);
    mote(row, D_fate_mote, datagram->destination);
    return;
  }
  mote(row, D_fate_mote, holder);
  if(is_engine && end_us - last->last_us < MAY_BE_QUEUED_US) {
    row_set(row, D_fate, UNDER_WAY);
  } else if(last->receivers == 0) {
    int cause = cause_of(last);
    row_set(row, D_fate, LOST);
    if(cause != NONE) {
      row_set(row, D_cause, cause);
    }
  } else {
    row_set(row, D_fate, datagram->destination == NONE ? LEFT_THE_AIR : NOT_FORWARDED);
  }
}

static void
write_datagrams(int64_t end_us)
{
  static const unsigned SAME[][2] = {
    {F_ip_src, D_ip_src}, {F_dst, D_link_dst}, {F_transport, D_transport}, {F_src_port, D_src_port},
    {F_dst_port, D_dst_port}, {F_icmp_type, D_icmp_type}, {F_rpl_kind, D_rpl_kind}, {F_coap_type, D_coap_type},
    {F_coap_code, D_coap_code}, {F_coap_path, D_coap_path}, {F_payload_length, D_payload_length}, {F_payload_hash, D_payload_hash},
    {F_t_us, D_t_us}};
  struct row row;

  for(size_t number = 0; number < followed.count; number++) {
    const struct datagram *datagram = &followed.items[number];
    row_clear(&row);
    copy(&row, SAME, sizeof(SAME) / sizeof(SAME[0]), datagram->row);
    row_set(&row, D_datagram, (int64_t)number);
    row_set(&row, D_first_frame, (int64_t)datagram->row);
    row_set(&row, D_protocol, protocol_of(datagram->row));
    if(datagram->ip) {
      row_set(&row, D_ip_dst, final_destination(datagram->row));
    }
    mote(&row, D_origin, datagram->origin);
    mote(&row, D_destination, datagram->destination);
    if(datagram->end_us != NONE) {
      row_set(&row, D_end_us, datagram->end_us);
      row_set(&row, D_hops, datagram->hops);
    }
    row_set(&row, D_last_us, hops.items[datagram->last_hop].last_us);
    row_set(&row, D_transmissions, datagram->transmissions);
    if(is_engine || !datagram->multicast) {
      row_set(&row, D_delivered, datagram->delivered);
      row_set(&row, D_duplicates, datagram->duplicates);
    }
    if(datagram->answers != NONE) {
      row_set(&row, D_answers, datagram->answers);
    }
    write_fate(&row, datagram, end_us);
    table_append(&datagrams_table, &row);
  }
}

/* Adds to a column of a table's row for a key, which begins with zeros. */
static size_t
sum_row(struct map *rows, struct table *table, uint64_t key, const unsigned *names, const int64_t *values, size_t count)
{
  int32_t found = map_get(rows, key);
  struct row row;

  if(found == NONE) {
    row_clear(&row);
    for(unsigned column = 0; column < table->column_count; column++) {
      row_set(&row, column, 0);
    }
    for(size_t i = 0; i < count; i++) {
      row_set(&row, names[i], values[i]);
    }
    found = (int32_t)table->rows;
    table_append(table, &row);
    map_put(rows, key, found);
  }
  return (size_t)found;
}

static void
add(struct table *table, size_t row, unsigned column, int64_t more)
{
  table_replace(table, row, column, value(table, row, column) + more);
}

static void
write_traffic(void)
{
  static const unsigned NAMES[] = {T_mote, T_protocol, T_channel};
  struct map rows = {0};

  for(size_t frame = 0; frame < frames.rows && is_engine; frame++) {
    int32_t hop = hop_of_frame[frame];
    int64_t protocol = protocol_of(hop == NONE ? frame : followed.items[hops.items[hop].datagram].row);
    const int64_t values[] = {field(frame, F_mote), protocol, field(frame, F_channel)};
    uint64_t key = mixed(mixed(mixed(0, (uint64_t)values[0]), (uint64_t)values[1]), (uint64_t)values[2]);
    size_t row = sum_row(&rows, &traffic, key, NAMES, values, 3);
    add(&traffic, row, T_frames, 1);
    add(&traffic, row, T_bytes, field(frame, F_length));
    add(&traffic, row, T_air_us, end_of(frame) - value(&frames, frame, F_t_us));
  }
  free(rows.places);
}

static void
write_links(void)
{
  static const unsigned NAMES[] = {L_mote, L_to}, OUTCOMES[] = {L_frames_received, L_collided, L_below_sensitivity, L_radio_off, L_busy_sending,
                                                                L_wrong_channel, L_lost_by_chance, L_cut_short};
  struct map rows = {0};
  int64_t outcome;

  for(size_t number = 0; number < hops.count && is_engine; number++) {
    const struct hop *hop = &hops.items[number];
    if(hop->to != NONE) {
      const int64_t values[] = {motes[hop->node], motes[hop->to]};
      size_t row = sum_row(&rows, &links, (uint64_t)hop->node << 32 | (uint32_t)hop->to, NAMES, values, 2);
      add(&links, row, L_hops, 1);
      add(&links, row, L_received, hop->receivers > 0);
      add(&links, row, L_acked, hop->acked);
    }
  }
  for(size_t frame = 0; frame < frames.rows && is_engine; frame++) {
    const struct hop *hop = hop_of_frame[frame] == NONE ? NULL : &hops.items[hop_of_frame[frame]];
    if(hop != NULL && hop->to != NONE) {
      size_t row = (size_t)map_get(&rows, (uint64_t)hop->node << 32 | (uint32_t)hop->to);
      did_receive(frame, hop->to, &outcome);
      add(&links, row, L_frames, 1);
      add(&links, row, outcome == NONE ? L_out_of_range : OUTCOMES[outcome - W_RECEIVED], 1);
    }
  }
  free(rows.places);
}

void
match(bool engine, int64_t end_us)
{
  is_engine = engine;
  for(size_t i = 0; i < sizeof(FATES) / sizeof(FATES[0]); i++) {
    dictionary_add(&fates, FATES[i], strlen(FATES[i]));
  }
  for(size_t i = 0; i < sizeof(PROTOCOLS) / sizeof(PROTOCOLS[0]); i++) {
    dictionary_add(&protocols, PROTOCOLS[i], strlen(PROTOCOLS[i]));
  }
  hop_of_frame = grown(NULL, 0, (frames.rows + 1) * sizeof(*hop_of_frame));
  learn_links();
  learn_owners();
  sort_receptions();
  for(size_t frame = 0; frame < frames.rows; frame++) {
    int32_t sender = sender_of(frame);
    hop_of_frame[frame] = NONE;
    if(field(frame, F_type) == W_DATA && has(&frames, frame, F_network) && value(&frames, frame, F_network) != W_EMPTY && sender != NONE) {
      follow(frame, sender);
    }
  }
  pair();
  write_hops();
  write_datagrams(end_us);
  write_traffic();
  write_links();
}
