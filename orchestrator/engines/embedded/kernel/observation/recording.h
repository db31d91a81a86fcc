/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of the observer, which its own files share. */
#ifndef RECORDING_H
#define RECORDING_H

#include "base/report.h"
#include "motes/simulation.h"
#include "observation/held_log.h"
#include "observation/outgoing.h"

enum state { OFF, LISTENING, RECEIVING, INTERFERED, TRANSMITTING, STATES };
/* libpcap's savefile format (pcap-savefile(5)). */
enum { MAGIC_US = 0xa1b2c3d4, VERSION = 2 | 4 << 16, LONGEST = 262144, LINKTYPE_IEEE802_15_4_WITHFCS = 195, SECOND = 1000000 };
enum { CAPTURED_HEAD = 16 }; /* bytes before each packet */
/* Items of the compact record (observer.h). */
enum { LONGEST_ITEM = 96, LONGEST_FATE = 20 };
enum { FRAME = STATES, FRAME_END, OTHER };
enum { CHANNEL, POWER, LATE_END, RECORD_END, PART_OF_FRAME, PROCESSOR };
enum { LONG_TIME = 31 };

struct item {
  uint8_t bytes[LONGEST_ITEM];
  unsigned used;
};

struct transmission { /* that goes byte by byte */
  const struct outgoing *outgoing; /* NULL: it has ended */
  struct held_piece *item, *captured; /* the gaps that it left */
  struct item head; /* of its item, up to the time */
  int64_t since; /* us */
  int channel, power;
};

struct watched { /* a mote's radio */
  enum state state;
  bool seen;
  uint64_t sending;     /* number of its last frame */
  uint64_t got;         /* number of the last frame that it received */
  int got_dbm;          /* and its strength */
  int64_t since;        /* us */
  int64_t time[STATES]; /* us */
  uint64_t hears;       /* number of the frame that an emulated board's radio receives, or 0 */
  struct transmission *transmission; /* NULL: none so far */
};

struct observer {
  const struct simulation *simulation;
  struct held_log frames, events, record;
  const char *folder, *file; /* NULL: not wanted */
  int64_t last_us; /* of the last item */
  int fate_before; /* the mote of the last fate */
  uint64_t ending; /* number of the frame whose fates are being recorded */
  struct watched *radios; /* by index of the mote */
  uint64_t frame_count;
  uint64_t starting; /* number of the frame that motes begin to receive now, or 0 */
  uint8_t *partly; /* a bit for each frame: only a part of it was sent; NULL: all were sent to their end */
  uint64_t partly_size; /* bytes */
};

extern struct observer *observer;

/* Appends a part of the record for which there is room (held_reserve()). */
static inline void
append_part(struct held_log *file, const void *bytes, size_t count)
{
  held_append(file, bytes, count);
  if(log_position(&file->log) > observer->simulation->log.limit) {
    report_error(ERROR_STORAGE, "a record of the radios in %s reached the log's limit of %llu bytes; simulate a shorter time",
                 file == &observer->record ? observer->file : observer->folder, (unsigned long long)observer->simulation->log.limit);
  }
}

static inline void
append(struct held_log *file, const void *bytes, size_t count)
{
  held_reserve(file, count);
  append_part(file, bytes, count);
}

static inline void
put(uint8_t *bytes, uint32_t number)
{
  for(int i = 0; i < 4; i++) {
    bytes[i] = (uint8_t)(number >> 8 * i);
  }
}

/* The head of a capture's packet: `kept` bytes of `size`. */
static inline void
fill_head(uint8_t head[CAPTURED_HEAD], int64_t time, uint32_t kept, uint32_t size)
{
  put(head, (uint32_t)(time / SECOND));
  put(head + 4, (uint32_t)(time % SECOND));
  put(head + 8, kept);
  put(head + 12, size);
}

static inline void
add_number(struct item *item, uint64_t number)
{
  while(number >= 0x80) {
    item->bytes[item->used++] = (uint8_t)(number | 0x80);
    number >>= 7;
  }
  item->bytes[item->used++] = (uint8_t)number;
}

static inline uint64_t
zigzag(int64_t number)
{
  return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline struct item
item_of(unsigned what)
{
  int64_t now = observer->simulation->queue.now;
  uint64_t passed = now > observer->last_us ? (uint64_t)(now - observer->last_us) : 0; /* time may have gone back (event_queue.h) */
  struct item item;

  observer->last_us += (int64_t)passed;
  item.used = 1;
  item.bytes[0] = (uint8_t)(what | (passed < LONG_TIME ? passed : LONG_TIME) << 3);
  if(passed >= LONG_TIME) {
    add_number(&item, passed - LONG_TIME);
  }
  return item;
}

static inline void
add_sender(struct item *item, const struct mote *mote, int channel, int power)
{
  add_number(item, zigzag(mote->id));
  add_number(item, zigzag(channel));
  add_number(item, zigzag(power));
}

static inline void
end_item(const struct item *item)
{
  append(&observer->record, item->bytes, item->used);
}

static inline void
end_part(const struct item *item)
{
  append_part(&observer->record, item->bytes, item->used);
}

static inline void
begin_frame(const struct mote *mote)
{
  observer->radios[mote->index].sending = observer->starting = ++observer->frame_count;
}

/* Transmissions that are under way when the record ends have a part of their frame in it. */
void outgoing_complete_all(void);

#endif
