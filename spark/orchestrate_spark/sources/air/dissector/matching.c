/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows datagrams over their hops.
 *
 * A hop is what a mote's link layer sends as one frame, with its retransmissions, or as the fragments of one datagram. A hop
 * belongs to the datagram that its mote received and has not forwarded yet, with the same addresses, ports, payload and a hop
 * limit that fits; so datagrams with equal content stay apart. A hop that continues none begins a datagram. What carries no
 * IPv6 header that can be read is a datagram of one hop.
 *
 * A record of the engine has the receptions; a mote whose link layer acknowledges frames has taken those that it acknowledged. In
 * a capture the acknowledgements stand for receptions.
 */
#include "following.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_ANSWERED = -2 }; /* a map can't hold NONE */
enum { MOST_OPEN = 64 };    /* requests that may wait for an answer with their payload */
/* A link layer's retransmissions are over by then: those of TSCH wait for whole slotframes. */
static const int64_t LONGEST_HOP_US = 60 * SECOND;
/* MPL and other multicast of IPv6 beyond the link send an unchanged packet again within this time. */
static const int64_t LONGEST_FLOOD_US = 30 * SECOND;

LIST(piece);
struct hops hops;
struct arrivals arrivals;
struct datagrams followed;
static struct pieces pieces;
static struct map hop_of_content, held, of_content, received_by;
int32_t *hop_of_frame;

#define ADDED(list) \
  (list.count == list.room \
     ? (list.items = grown(list.items, list.room * sizeof(*list.items), (list.room > 0 ? 2 * list.room : 256) * sizeof(*list.items)), \
        list.room = list.room > 0 ? 2 * list.room : 256) \
     : 0, \
   &list.items[list.count++])

/* What stays the same on all hops of a datagram. */
static void
content_of(size_t frame, bool ip, int32_t sender, uint64_t keys[2])
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
  keys[SAME_PORTS] = ~key;
  keys[SAME_PAYLOAD] = has(&frames, frame, F_payload_hash)
                         ? mixed(key, (uint64_t)value(&frames, frame, F_payload_hash))
                         : mixed(mixed(key, (uint64_t)field(frame, F_frag_size)), (uint64_t)field(frame, F_payload_length));
}

static int32_t
new_datagram(size_t frame, bool ip, int32_t sender, const uint64_t keys[2])
{
  struct datagram *datagram;
  int64_t last = final_destination(frame);
  bool multicast = ip && last >= 0 && ip_bytes(last)[0] == 0xFF;
  int32_t number = map_get(&of_content, keys[SAME_PAYLOAD]);

  if(number != NONE && multicast && (ip_bytes(last)[1] & 15) > 2 && followed.items[number].origin == sender &&
     value(&frames, frame, F_t_us) - value(&frames, followed.items[number].row, F_t_us) <= LONGEST_FLOOD_US) {
    return number;
  }
  number = (int32_t)followed.count;
  datagram = ADDED(followed);
  *datagram = (struct datagram){.row = frame, .ip = ip, .key = {keys[0], keys[1]}, .multicast = multicast, .last_hop = NONE, .answers = NONE, .end_us = NONE};
  datagram->origin = !ip || owner_of(field(frame, F_ip_src)) == sender ? sender : NONE;
  if(!ip) {
    datagram->multicast = is_broadcast(field(frame, F_dst));
    datagram->destination = datagram->multicast ? NONE : map_get(&node_of_link, (uint64_t)field(frame, F_dst));
  } else {
    datagram->destination = multicast ? NONE : owner_of(last);
  }
  map_put(&of_content, keys[SAME_PAYLOAD], number);
  return number;
}

/*
 * The arrival that a hop continues; NONE. Among arrivals with equal content it is the latest: if an earlier one was dropped, no
 * datagram is taken for another; if both are sent on, they have at most changed places. A datagram that its origin sends may
 * have come back to it, one hop older.
 */
static int32_t
continued(int32_t sender, enum likeness likeness, uint64_t key, int hop_limit, bool originates, int64_t now)
{
  int32_t latest = map_get(&held, mixed(key, (uint64_t)sender)), waits = NONE;

  for(int32_t at = latest; at != NONE; at = arrivals.items[at].held_before[likeness]) {
    const struct hop *hop = &hops.items[arrivals.items[at].hop];
    if(now - hop->last_us > LONGEST_HOP_US) {
      break; /* what was held before this one is older still */
    }
    if(!arrivals.items[at].forwarded && now - hop->end_us <= LONGEST_HOP_US) {
      if(hop->hop_limit == hop_limit + 1) {
        return at;
      }
      waits = waits == NONE ? at : waits;
    }
  }
  return originates ? NONE : waits != NONE ? waits : latest;
}

static int32_t
new_hop(size_t frame, bool ip, int32_t sender, const uint64_t keys[2])
{
  int hop_limit = (int)field(frame, F_hop_limit);
  int64_t link = field(frame, F_dst), now = value(&frames, frame, F_t_us);
  bool originates = ip && owner_of(field(frame, F_ip_src)) == sender;
  int32_t from = ip ? continued(sender, SAME_PAYLOAD, keys[SAME_PAYLOAD], hop_limit, originates, now) : NONE, datagram;
  int32_t number = (int32_t)hops.count;
  int16_t place = 1;

  if(from == NONE && ip && (is_garbled(frame) || !has(&frames, frame, F_payload_hash))) {
    from = continued(sender, SAME_PORTS, keys[SAME_PORTS], hop_limit, originates, now);
  }
  if(from != NONE) {
    arrivals.items[from].forwarded = true;
    datagram = hops.items[arrivals.items[from].hop].datagram;
    place = (int16_t)(hops.items[arrivals.items[from].hop].number + 1);
  } else {
    datagram = new_datagram(frame, ip, sender, keys);
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
  uint64_t keys[2], content;
  int32_t number;

  if(value(&frames, frame, F_network) == W_FRAGN) {
    return first >= 0 && (size_t)first < frame ? hop_of_frame[first] : NONE;
  }
  content_of(frame, ip, sender, keys);
  content = mixed(mixed(keys[SAME_PAYLOAD], (uint64_t)sender), (uint64_t)field(frame, F_dst));
  number = map_get(&hop_of_content, content);
  if(number != NONE) {
    const struct hop *hop = &hops.items[number];
    if(hop->seq == field(frame, F_seq) && now - hop->last_us <= LONGEST_HOP_US && (hop->seq >= 0 || (!hop->acked && now - hop->last_us <= SECOND))) {
      return number;
    }
  }
  number = new_hop(frame, ip, sender, keys);
  map_put(&hop_of_content, content, number);
  return number;
}

uint64_t
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
hold(const struct datagram *datagram, int32_t arrival)
{
  for(enum likeness likeness = SAME_PAYLOAD; likeness <= SAME_PORTS; likeness++) {
    uint64_t key = mixed(datagram->key[likeness], (uint64_t)arrivals.items[arrival].node);
    arrivals.items[arrival].held_before[likeness] = map_get(&held, key);
    map_put(&held, key, arrival);
  }
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
    *ADDED(arrivals) = (struct arrival){.node = node, .hop = number, .next_of_hop = hop->arrivals, .held_before = {NONE, NONE}};
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
  /* An origin hears its own multicast datagram from those that forward it, and is no receiver of it. */
  bool wanted = datagram->multicast ? datagram->origin != node : datagram->destination == node;
  if(wanted && !is_garbled(hop->first_frame)) {
    deliver(hop->datagram, node, hop, now);
  }
  if(datagram->ip && datagram->destination != node) {
    hold(datagram, at);
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
  bool acked = is_acked(frame, sender, hop->to);
  hop->acked |= acked;
  followed.items[hop->datagram].transmissions++;
  if(!is_engine) {
    if(hop->to != NONE && acked) {
      arrive(number, hop->to, piece, hop->last_us);
    }
    return;
  }
  for(uint32_t i = reception_begin[frame]; i < reception_begin[frame + 1]; i++) {
    size_t reception = reception_order[i];
    outcome = value(&receptions, reception, C_outcome);
    int32_t node = node_of(value(&receptions, reception, C_mote));
    if(outcome == W_RECEIVED && (hop->everybody || (node == hop->to && is_taken(frame, node)))) {
      arrive(number, node, piece, hop->last_us);
      hop = &hops.items[number];
    }
  }
}

/* A request and its answer, until order_answers() the one that came latest. */
struct exchange {
  uint64_t between; /* what both have in common */
  int32_t request, answer;
};
LIST(exchange);
static struct exchanges exchanges;

static int64_t
delivery_of(const struct exchange *exchange)
{
  return followed.items[exchange->request].end_us;
}

static int
by_delivery(const void *one, const void *other)
{
  const struct exchange *a = one, *b = other;
  int64_t past = delivery_of(a) - delivery_of(b);

  return a->between != b->between ? (a->between < b->between ? -1 : 1) : past != 0 ? (past < 0 ? -1 : 1) : a->request - b->request;
}

static int
by_answer(const void *one, const void *other)
{
  const struct exchange *a = one, *b = other;

  return a->between != b->between ? (a->between < b->between ? -1 : 1) : a->answer - b->answer;
}

/* Of requests that wait at the same time, the one that came first is answered first. */
static void
order_answers(void)
{
  size_t size = exchanges.count * sizeof(*exchanges.items);
  struct exchange *answers = grown(NULL, 0, size + 1);

  if(exchanges.count > 0) {
    memcpy(answers, exchanges.items, size);
    qsort(exchanges.items, exchanges.count, sizeof(*exchanges.items), by_delivery);
    qsort(answers, exchanges.count, sizeof(*answers), by_answer);
  }
  for(size_t i = 0; i < exchanges.count; i++) {
    followed.items[answers[i].answer].answers = exchanges.items[i].request;
  }
  release(answers, size + 1);
  release(exchanges.items, exchanges.room * sizeof(*exchanges.items));
}

/* The open request that a datagram answers, which is removed: one with its payload, else the latest that was delivered; NONE. */
static int32_t
answered(struct map *open, uint64_t name, int32_t *below, size_t answer, bool *same)
{
  size_t frame = followed.items[answer].row;
  int32_t latest = map_get(open, name), over = NONE, chosen = NONE, over_chosen = NONE;

  *same = false;
  for(int depth = 0; latest >= 0 && depth < MOST_OPEN && !*same; depth++, over = latest, latest = below[latest]) {
    const struct datagram *request = &followed.items[latest];
    if(request->delivered > 0 && request->end_us <= value(&frames, frame, F_t_us)) {
      *same = has(&frames, frame, F_payload_hash) && field(request->row, F_payload_hash) == value(&frames, frame, F_payload_hash);
      if(chosen == NONE || *same) {
        chosen = latest;
        over_chosen = over;
      }
    }
  }
  if(chosen != NONE && over_chosen == NONE) {
    map_put(open, name, below[chosen] >= 0 ? below[chosen] : ALL_ANSWERED);
  } else if(chosen != NONE) {
    below[over_chosen] = below[chosen];
  }
  return chosen;
}

/*
 * Pairs an answer with its request: by the token or the message id of CoAP, by the numbers of an echo, or by addresses and
 * ports turned round. In the last case the side that was heard first is the one that asks.
 */
static void
pair(void)
{
  struct map open = {0}, first = {0};
  int32_t *below = grown(NULL, 0, (followed.count + 1) * sizeof(*below)); /* of a request: the one that was open before it */

  for(size_t number = 0; number < followed.count; number++) {
    struct datagram *datagram = &followed.items[number];
    size_t frame = datagram->row;
    int64_t transport = field(frame, F_transport), type = field(frame, F_icmp_type);
    uint64_t ends[2] = {(uint64_t)field(frame, F_ip_src), (uint64_t)final_destination(frame)}, name[2];
    bool asks, same;

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
    } else if(has(&frames, frame, F_coap_code)) {
      uint8_t code = coap_code(frame);
      uint64_t exchange = has(&frames, frame, F_coap_token) && code != 0
                            ? mixed(1, (uint64_t)field(frame, F_coap_token))
                            : mixed(2, (uint64_t)field(frame, F_coap_mid));
      name[0] = mixed(name[0], exchange);
      name[1] = mixed(name[1], exchange);
      asks = code >> 5 == 0 && code != 0;
    } else {
      if(map_get(&first, name[0]) == NONE && map_get(&first, name[1]) == NONE) {
        map_put(&first, name[0], 0);
      }
      asks = map_get(&first, name[0]) != NONE;
    }
    if(asks) {
      below[number] = map_get(&open, name[0]);
      map_put(&open, name[0], (int32_t)number);
      continue;
    }
    int32_t request = answered(&open, name[1], below, number, &same);
    if(same) {
      datagram->answers = request;
    } else if(request != NONE) {
      *ADDED(exchanges) = (struct exchange){name[1], request, (int32_t)number};
    }
  }
  order_answers();
  release(below, (followed.count + 1) * sizeof(*below));
  map_release(&open);
  map_release(&first);
}

void
match(bool engine, int64_t end_us)
{
  is_engine = engine;
  hop_of_frame = grown(NULL, 0, (frames.rows + 1) * sizeof(*hop_of_frame));
  learn_links();
  learn_owners();
  learn_acks();
  sort_receptions();
  for(size_t frame = 0; frame < frames.rows; frame++) {
    int32_t sender = sender_of(frame);
    hop_of_frame[frame] = NONE;
    if(field(frame, F_type) == W_DATA && has(&frames, frame, F_network) && value(&frames, frame, F_network) != W_EMPTY && sender != NONE) {
      follow(frame, sender);
    }
  }
  pair();
  matched_write(end_us);
}
