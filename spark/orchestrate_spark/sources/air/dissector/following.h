/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the matching share: senders.c, matching.c and matched.c. */
#ifndef FOLLOWING_H
#define FOLLOWING_H

#include "matching.h"

enum { NONE = -1 };
enum { SECOND = 1000000 }; /* us */

/* From 64 bits to a number. Keys are hashes of what they stand for. */
struct map {
  struct place {
    uint64_t key;
    uint32_t value; /* from 1; 0: free */
  } *places;
  size_t count, room;
};

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

/* With the same payload, or between the same ports if it isn't known what the payload was to be: a fragment was never sent, or a
   mote has put fragments together wrongly. */
enum likeness { SAME_PAYLOAD, SAME_PORTS };

/* A fragment that was sent on a hop. */
struct piece {
  int32_t offset, next;
  uint32_t sent; /* its number on the hop, from 0 */
};

/* A receiver of a hop. */
struct arrival {
  int32_t node, hop, next_of_hop;
  int32_t held_before[2]; /* by enum likeness: the arrival at the same node before this one with the same content; NONE */
  bool whole, forwarded;
  uint64_t got; /* the fragments that it has, by number */
};

struct datagram {
  size_t row; /* of its first frame */
  int32_t origin, destination; /* nodes */
  bool multicast, ip;
  uint64_t key[2]; /* by enum likeness */
  int32_t last_hop, answers;
  int64_t end_us;
  int16_t hops;
  uint32_t delivered, duplicates, transmissions;
};

#define LIST(type) struct type##s { struct type *items; size_t count, room; }
LIST(hop);
LIST(arrival);
LIST(datagram);
extern struct hops hops;
extern struct arrivals arrivals;
extern struct datagrams followed;

extern int32_t *motes;        /* of nodes; in a capture, entries of addresses */
extern int32_t *hop_of_frame; /* NONE: none */
extern uint32_t *reception_begin, *reception_order; /* by frame: its receptions */
extern struct map node_of_link;
extern bool is_engine; /* whether the rows are of a record, which has the receptions */

uint64_t mixed(uint64_t hash, uint64_t value);
int32_t map_get(const struct map *map, uint64_t key);
void map_put(struct map *map, uint64_t key, int32_t value);
void map_release(struct map *map);
int64_t field(size_t frame, unsigned column);
int64_t end_of(size_t frame);
uint8_t coap_code(size_t frame);
bool is_broadcast(int64_t link);
int32_t node_of(int64_t identity);
int32_t sender_of(size_t frame);
size_t ack_of(size_t frame, int32_t from);
int64_t final_destination(size_t frame);
void learn_links(void);
int32_t owner_of(int64_t ip);
void learn_owners(void);
void learn_acks(void);
void sort_receptions(void);
bool is_garbled(size_t frame);
bool did_receive(size_t frame, int32_t node, int64_t *outcome);
bool is_taken(size_t frame, int32_t node);
bool is_acked(size_t frame, int32_t sender, int32_t receiver);

/* The bit of the fragment that a frame of a hop carries. */
uint64_t piece_of(struct hop *hop, size_t frame);

/* Writes the tables of what was followed up to `end_us`. */
void matched_write(int64_t end_us);

#endif
