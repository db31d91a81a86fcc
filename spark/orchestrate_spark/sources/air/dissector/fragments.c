/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the fragments of a 6LoWPAN datagram together (RFC 4944, 5.3), so that its first frame has the length and the hash of
 * the whole payload. A datagram of which a fragment was never sent has neither.
 */
#include "dissect.h"

#include <string.h>

enum { SLOTS = 4096, LONGEST = 2048, UNITS = LONGEST / 8, MOST_FIRST = 16 };

struct datagram {
  bool used;
  uint8_t key[2 * EXTENDED + 8];
  size_t size, payload_at;
  bool has_payload;
  unsigned checksum; /* of UDP; 0: none */
  int protocol; /* whose header begins at payload_at; -1: none */
  size_t first[MOST_FIRST]; /* rows of the first fragment and its retransmissions */
  unsigned first_count, finished;
  uint64_t first_hash;
  int64_t first_frame;
  uint8_t bytes[LONGEST];
  bool covered[UNITS];
  unsigned covered_count;
};

static struct datagram *datagrams;

static struct datagram *
of_key(const uint8_t *key, size_t size)
{
  uint64_t hash = hash_of(key, size);

  if(datagrams == NULL) {
    datagrams = grown(NULL, 0, SLOTS * sizeof(*datagrams));
  }
  for(unsigned i = 0; i < 8; i++) {
    struct datagram *datagram = &datagrams[(hash + i) % SLOTS];
    if(!datagram->used || memcmp(datagram->key, key, size) == 0) {
      return datagram;
    }
  }
  return &datagrams[hash % SLOTS]; /* the oldest ones have long ended */
}

/* The first frame gets what the headers say that are not wholly in it. */
static unsigned
finish_headers(const struct frame *last, struct datagram *datagram, size_t row)
{
  static const unsigned SAME[] = {F_mote, F_ip_src, F_ip_dst};
  static struct frame frame;
  struct row values;

  row_clear(&values);
  for(unsigned i = 0; i < sizeof(SAME) / sizeof(SAME[0]); i++) {
    if(has(&frames, row, SAME[i])) {
      row_set(&values, SAME[i], value(&frames, row, SAME[i]));
    }
  }
  row_set(&values, F_frame, (int64_t)row);
  frame.settings = last->settings;
  frame.row = &values;
  frame.end = datagram->bytes + datagram->size;
  frame.t_us = value(&frames, row, F_t_us);
  frame.checksum = 0;
  dissect_transport(&frame, datagram->protocol, datagram->bytes + datagram->payload_at);
  for(unsigned column = F_src_port; column < FRAME_COLUMN_COUNT; column++) {
    if(row_has(&values, column)) {
      table_replace(&frames, row, column, values.value[column]);
    }
  }
  return frame.checksum;
}

static void
finish(const struct frame *last, struct datagram *datagram, size_t row)
{
  size_t at = datagram->payload_at, size = datagram->size - at;
  unsigned checksum = datagram->checksum;

  if(at > datagram->size) {
    return;
  }
  if(datagram->protocol >= 0) {
    checksum = finish_headers(last, datagram, row);
    size = checksum > 0 ? (size_t)value(&frames, row, F_payload_length) : size;
    at = datagram->size - size;
  } else if(datagram->has_payload) {
    table_replace(&frames, row, F_payload_length, (int64_t)size);
    table_replace(&frames, row, F_payload_hash, (int64_t)hash_of(datagram->bytes + at, size));
  }
  if(checksum > 0) {
    udp_check(row, checksum, datagram->bytes + at, size);
  }
}

static void
cover(struct datagram *datagram, size_t row, size_t at, const uint8_t *from, size_t size, size_t before)
{
  size_t begin = (at - before) / 8, end = (at + size + 7) / 8;
  bool overlaps = false;

  for(size_t unit = begin; unit < end; unit++) {
    if(datagram->covered[unit]) {
      size_t first = unit * 8 < at ? at : unit * 8, last = (unit + 1) * 8 < at + size ? (unit + 1) * 8 : at + size;
      overlaps |= first < last && memcmp(datagram->bytes + first, from + (first - at), last - first) != 0;
    } else {
      datagram->covered[unit] = true;
      datagram->covered_count++;
    }
  }
  if(overlaps) {
    table_replace(&frames, row, F_flaw, W_OVERLAP);
    return;
  }
  memcpy(datagram->bytes + at, from, size);
}

void
fragments_note(const struct frame *frame, size_t row)
{
  const struct row *values = frame->row;
  uint8_t key[sizeof(datagrams->key)] = {0};
  struct datagram *datagram;
  size_t size = (size_t)values->value[F_frag_size], offset = (size_t)values->value[F_frag_offset], at, count;
  const uint8_t *from;
  bool first = values->value[F_network] != W_FRAGN;
  uint64_t hash;

  memcpy(key, frame->source.bytes, frame->source.size);
  memcpy(key + EXTENDED, frame->destination.bytes, frame->destination.size);
  key[2 * EXTENDED] = (uint8_t)(values->value[F_frag_tag] >> 8);
  key[2 * EXTENDED + 1] = (uint8_t)values->value[F_frag_tag];
  key[2 * EXTENDED + 2] = (uint8_t)(size >> 8);
  key[2 * EXTENDED + 3] = (uint8_t)size;
  key[2 * EXTENDED + 4] = (uint8_t)(frame->source.size << 4 | frame->destination.size);
  datagram = of_key(key, sizeof(key));
  if(first) {
    if(frame->plain_from == NULL || frame->plain_from > frame->end) {
      return; /* it isn't one that can be followed; its flaw says why */
    }
    from = frame->plain_from;
    at = frame->headers;
    count = (size_t)(frame->end - from);
  } else {
    from = frame->payload;
    at = offset;
    count = (size_t)(frame->end - from);
  }
  if(at + count > size || size > LONGEST) {
    table_replace(&frames, row, F_flaw, W_BAD_FRAGMENT);
    return;
  }
  if(first) {
    hash = hash_of(from, count) ^ at;
    if(!datagram->used || memcmp(datagram->key, key, sizeof(key)) != 0 || datagram->first_hash != hash ||
       datagram->first_count == MOST_FIRST) {
      *datagram = (struct datagram){.used = true, .size = size, .first_hash = hash, .protocol = frame->cut_protocol,
                                    .checksum = frame->checksum};
      memcpy(datagram->key, key, sizeof(key));
      datagram->first_frame = values->value[F_frame];
      datagram->has_payload = frame->payload != NULL && frame->payload >= from;
      datagram->payload_at = datagram->has_payload ? at + (size_t)(frame->payload - from) : 0;
      cover(datagram, row, at, from, count, at);
    }
    datagram->first[datagram->first_count++] = row;
  } else if(datagram->used && memcmp(datagram->key, key, sizeof(key)) == 0) {
    table_replace(&frames, row, F_first_frame, datagram->first_frame);
    cover(datagram, row, at, from, count, 0);
  } else {
    return;
  }
  if(datagram->covered_count * 8 >= size) {
    for(; datagram->finished < datagram->first_count; datagram->finished++) {
      finish(frame, datagram, datagram->first[datagram->finished]);
    }
  }
}
