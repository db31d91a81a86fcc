/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends and who receives: the motes behind addresses, acknowledgements, and the receptions of a frame. */
#include "following.h"

#include <string.h>

/* An acknowledgement begins at most so long after its frame (IEEE 802.15.4-2015: 192 us; TSCH: 1 ms, in Cooja up to 2). */
static const int64_t ACK_WAIT_US = 3000;
/* 133 bytes at 250 kbit/s. */
static const int64_t LONGEST_FRAME_US = 4256;

static struct map nodes, owners, acknowledging;
static size_t node_count, node_room;
static uint32_t *link_keys; /* where the bytes of an address begin in its dictionary */
struct map node_of_link;
int32_t *motes;
uint32_t *reception_begin, *reception_order;
bool is_engine;

uint64_t
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

int32_t
map_get(const struct map *map, uint64_t key)
{
  return map->room > 0 ? (int32_t)place_of(map, key)->value - 1 : NONE;
}

void
map_release(struct map *map)
{
  release(map->places, map->room * sizeof(*map->places));
}

void
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
    map_release(map);
    *map = more;
  }
  struct place *place = place_of(map, key);
  map->count += place->value == 0;
  *place = (struct place){key, (uint32_t)value + 1};
}

int64_t
field(size_t frame, unsigned column)
{
  return has(&frames, frame, column) ? value(&frames, frame, column) : NONE;
}

int64_t
end_of(size_t frame)
{
  int64_t end = field(frame, F_end_us);
  return end >= 0 ? end : value(&frames, frame, F_t_us);
}

/* The code of a CoAP message, which the dictionary has as a key of one byte. */
uint8_t
coap_code(size_t frame)
{
  return codes.keys[2 * (size_t)field(frame, F_coap_code) + 1];
}

bool
is_broadcast(int64_t link)
{
  return link < 0 || (addresses.keys[link_keys[link]] == 2 && memcmp(addresses.keys + link_keys[link] + 1, "\xff\xff", 2) == 0);
}

/* A node is a mote in a record, and who has a link-layer address in a capture. */
int32_t
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

int32_t
sender_of(size_t frame)
{
  int64_t identity = field(frame, is_engine ? F_mote : F_src);
  return has(&frames, frame, is_engine ? F_mote : F_src) ? node_of(identity) : NONE;
}

/* The acknowledgement that `from` (in a capture, or if it is NONE: anybody) sends behind a frame; the frame itself if there is
   none. A capture has no frame's end, so the time that its bytes take on the air is added (2.4 GHz O-QPSK: 32 us a byte, 6 bytes
   before the PSDU). */
size_t
ack_of(size_t frame, int32_t from)
{
  int64_t seq = field(frame, F_seq), end = end_of(frame), last = end + ACK_WAIT_US;

  if(field(frame, F_ack_request) != 1) {
    return frame;
  }
  if(!has(&frames, frame, F_end_us)) {
    last += 32 * (field(frame, F_length) + 6);
  }
  for(size_t next = frame + 1; next < frames.rows && value(&frames, next, F_t_us) <= last; next++) {
    if(field(next, F_type) == W_ACK && field(next, F_seq) == seq && value(&frames, next, F_t_us) >= end &&
       field(next, F_channel) == field(frame, F_channel) && (!is_engine || from == NONE || sender_of(next) == from)) {
      return next;
    }
  }
  return frame;
}

int64_t
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
void
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
  for(size_t frame = 0; frame < frames.rows; frame++) {
    int64_t link = field(frame, F_dst);
    if(!is_broadcast(link) && map_get(&node_of_link, (uint64_t)link) == NONE) {
      size_t ack = ack_of(frame, NONE);
      learn_link(link, ack == frame ? NONE : is_engine ? sender_of(ack) : node_of(link));
    }
  }
}

/* The node that has an address of IPv6; NONE: nobody who sends with it. */
int32_t
owner_of(int64_t ip)
{
  int32_t node = ip < 0 ? NONE : map_get(&owners, interface_key(ip_bytes(ip) + 8));
  return node != NONE || ip < 0 ? node : map_get(&owners, ~(uint64_t)ip);
}

/* An address that no link-layer address gives belongs to the first node that sends with it: its own, or that of a host behind it. */
void
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

void
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
  release(next, (frames.rows + 1) * sizeof(*next));
}

/* Whether the receiver of the whole datagram drops it: a mote sent on what it had put together wrongly. */
bool
is_garbled(size_t frame)
{
  return field(frame, F_flaw) == W_BAD_CHECKSUM;
}

bool
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

/* Motes whose link layer acknowledges what it takes, by frames or by enhanced ones (TSCH). Others leave it to the radio, or don't
   acknowledge, whatever frames ask for. */
enum { BY_FRAMES, BY_ENHANCED };

void
learn_acks(void)
{
  for(size_t frame = 0; frame < frames.rows; frame++) {
    int32_t sender = field(frame, F_type) == W_ACK && is_engine ? sender_of(frame) : NONE;
    if(sender != NONE) {
      map_put(&acknowledging, (uint64_t)sender, field(frame, F_version) >= 2 ? BY_ENHANCED : BY_FRAMES);
    }
  }
}

/* Whether a mote waits for an acknowledgement of its own when a frame begins. */
static bool
is_waiting(int32_t node, size_t frame)
{
  int64_t now = value(&frames, frame, F_t_us), outcome;

  for(size_t own = frame; own > 0 && now - value(&frames, own - 1, F_t_us) <= LONGEST_FRAME_US + ACK_WAIT_US; own--) {
    if(sender_of(own - 1) == node) {
      size_t ack = ack_of(own - 1, NONE);
      return field(own - 1, F_ack_request) == 1 && now - end_of(own - 1) <= ACK_WAIT_US &&
             (ack == own - 1 || ack > frame || !did_receive(ack, node, &outcome));
    }
  }
  return false;
}

/*
 * Whether the link layer of the mote whose radio received a frame took it. TSCH acknowledges what it takes; a mote that scans for
 * beacons takes nothing. CSMA doesn't if the channel is busy, so it took a frame unless it was waiting for an acknowledgement of
 * its own: then it drops others.
 */
bool
is_taken(size_t frame, int32_t node)
{
  int32_t how = map_get(&acknowledging, (uint64_t)node);

  return field(frame, F_ack_request) != 1 || how == NONE || ack_of(frame, node) > frame || (how == BY_FRAMES && !is_waiting(node, frame));
}

/* Whether a frame was acknowledged by its receiver; in a record by a frame that its sender received. */
bool
is_acked(size_t frame, int32_t sender, int32_t receiver)
{
  size_t ack = ack_of(frame, receiver);
  int64_t outcome;

  return ack > frame && (!is_engine || did_receive(ack, sender, &outcome));
}
