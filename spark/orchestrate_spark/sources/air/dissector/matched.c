/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of what was followed: datagrams, hops, and sums of traffic and links. */
#include "following.h"

#include <string.h>

static struct dictionary fates, protocols;
static struct column datagram_columns[] = {
#define COLUMN(name, kind, dictionary) {#name, kind, dictionary, NULL, NULL, 0},
  DATAGRAM_COLUMNS(COLUMN)};
static struct column hop_columns[] = {HOP_COLUMNS(COLUMN)};
static struct column traffic_columns[] = {TRAFFIC_COLUMNS(COLUMN)};
static struct column link_columns[] = {LINK_COLUMNS(COLUMN)};
struct table datagrams_table = {"datagrams", datagram_columns, DATAGRAM_COLUMN_COUNT, 0, 0},
             hops_table = {"hops", hop_columns, HOP_COLUMN_COUNT, 0, 0},
             traffic = {"traffic", traffic_columns, TRAFFIC_COLUMN_COUNT, 0, 0}, links = {"links", link_columns, LINK_COLUMN_COUNT, 0, 0};

/* Entries of `fates`: how a datagram ended, then why a hop was not received. "unacknowledged" has the place of the outcome
   "received": the radio received it, and the link layer didn't take it. */
enum fate { DELIVERED, LOST, NOT_FORWARDED, LEFT_THE_AIR, MULTICAST, UNDER_WAY, OUT_OF_RANGE, INCOMPLETE, GARBLED, UNACKNOWLEDGED, FIRST_OUTCOME = UNACKNOWLEDGED };
static const char *const FATES[] = {"delivered", "lost", "not-forwarded", "left-the-air", "multicast", "under-way", "out-of-range",
                                    "incomplete", "garbled", "unacknowledged", "collided", "below-sensitivity", "radio-off", "busy-sending", "wrong-channel",
                                    "lost-by-chance", "cut-short", "missed"};

/* Entries of `protocols`: what a frame or a datagram is for. */
enum protocol { ACK_FRAME, BEACON_FRAME, COMMAND_FRAME, KEEP_ALIVE, SIX_TOP, RPL, NEIGHBOUR_DISCOVERY, ICMP_OTHER, ECHO, UDP_DATA, TCP_DATA,
                NULLNET_DATA, SECURED_DATA, OPAQUE_DATA };
static const char *const PROTOCOLS[] = {"ack", "beacon", "command", "keep-alive", "6p", "rpl", "nd", "icmp", "echo", "udp", "tcp", "nullnet",
                                        "secured", "opaque"};

/* A datagram whose last frame ended so shortly before the record may still be in a queue. */
static const int64_t MAY_BE_QUEUED_US = 10 * SECOND;

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

static void
mote(struct row *row, unsigned column, int32_t node)
{
  if(is_engine && node != NONE) {
    row_set(row, column, motes[node]);
  }
}

/* Why a hop was not received: what became of the last frame with what its receiver misses; NONE: not known. */
static int
cause_of(struct hop *hop)
{
  uint64_t got = 0;
  int64_t outcome;

  if(!is_engine || hop->everybody || hop->to == NONE) {
    return NONE;
  }
  for(int32_t at = hop->arrivals; at != NONE; at = arrivals.items[at].next_of_hop) {
    got |= arrivals.items[at].node == hop->to ? arrivals.items[at].got : 0;
  }
  for(size_t next = hop->last_frame + 1; next > hop->first_frame; next--) {
    if(hop_of_frame[next - 1] == hop - hops.items && !(got & (hop->fragmented ? piece_of(hop, next - 1) : 1))) {
      did_receive(next - 1, hop->to, &outcome);
      return outcome == NONE ? OUT_OF_RANGE : (int)(FIRST_OUTCOME + outcome - W_RECEIVED);
    }
  }
  return INCOMPLETE;
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
    struct hop *hop = &hops.items[number];
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
  struct hop *last = &hops.items[datagram->last_hop];
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
  if(!is_engine && field(last->first_frame, F_ack_request) != 1) {
    return; /* a capture doesn't show whether it was received */
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
  } else if(is_garbled(last->first_frame) && last->to == datagram->destination) {
    row_set(row, D_fate, LOST);
    row_set(row, D_cause, GARBLED);
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
  map_release(&rows);
}

static void
write_links(void)
{
  static const unsigned NAMES[] = {L_mote, L_to}, OUTCOMES[] = {L_frames_received, L_collided, L_below_sensitivity, L_radio_off, L_busy_sending,
                                                                L_wrong_channel, L_lost_by_chance, L_cut_short, L_missed};
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
  map_release(&rows);
}

void
matched_write(int64_t end_us)
{
  for(size_t i = 0; i < sizeof(FATES) / sizeof(FATES[0]); i++) {
    dictionary_add(&fates, FATES[i], strlen(FATES[i]));
  }
  for(size_t i = 0; i < sizeof(PROTOCOLS) / sizeof(PROTOCOLS[0]); i++) {
    dictionary_add(&protocols, PROTOCOLS[i], strlen(PROTOCOLS[i]));
  }
  write_hops();
  write_datagrams(end_us);
  write_traffic();
  write_links();
}
