/* SPDX-License-Identifier: Apache-2.0 */
/* A mote: its image, its clock, its radio, and what happens around one tick. */
#ifndef MOTE_H
#define MOTE_H

#include "abi.h"
#include "event_queue.h"
#include "firmware.h"
#include "serial.h"

struct simulation;
struct connection;

struct code_range { /* a function, or a section, in an image */
  uint64_t start, size;
};

struct idle_rules { /* what idle.c knows of a type's ticks; offsets in an image */
  enum { IDLE_NEVER, IDLE_AS_DECLARED, IDLE_CONTIKI_NG } kind;
  uint64_t last_signal, last_lqi;
  uint64_t ignores; /* IDLE_AS_DECLARED's; 0: not there */
  /* Contiki-NG's only. Words from a waiting thread's stack pointer to where its yield returns to: slot; 0 at first. */
  struct code_range process_loop, rtimer_loop, main_loop;
  uint64_t before_tick, after_tick, process_thread, rtimer_thread;
  unsigned slot;
};

struct mote_type {
  char *path;
  uint32_t interfaces; /* bits WITH_... */
  unsigned motes, room; /* the script may generate more, up to the room */
  bool clock_after_radio;  /* in the order of interfaces: which of the two draws first when a mote is added */
  bool serial_after_radio; /* in the order of interfaces: a line's script acts when the radio has */
  struct firmware firmware;
  struct abi abi;
  struct idle_rules idle;
  struct code_range *shared; /* what its motes share (shared.h); offsets in an image */
  unsigned shared_count;
  struct mote *holder; /* whose copy of that is the latest; NULL before the first tick */
};

/* A frame with its two FCS bytes, held by every radio that has it as the last one. */
struct packet {
  unsigned holders;
  uint32_t size;
  uint64_t number; /* in observer.h's files, from 1 */
  uint8_t bytes[];
};

struct link { /* of a radio to an active connection, in order of their starts */
  struct connection *connection;
  uint32_t member; /* index in the connection, or SOURCE */
};

struct neighbour { /* nearer than the larger range; in order of registration */
  uint32_t mote : 31; /* index */
  uint32_t beyond : 1; /* the transmission range at full power */
  int signal;          /* dBm, at full power */
  double distance; /* m */
};

/* What simInSize and simInDataBuffer hold, or will. */
enum incoming { NO_FRAME, UNREAD_FRAME, LOST_FRAME, NEW_FRAME };

/* What the medium does to a radio is written to the mote's variables when its code runs next: radio_show(). */
struct radio {
  bool on, transmitting, interfered, receiving;
  bool changed; /* is in the medium's list of radios whose signal strength must be worked out again */
  bool unshown; /* its mote's variables don't have all of this */
  bool heard;   /* a tick that was skipped would have taken heard_signal and heard_lqi in */
  int8_t receiving_value; /* of simReceiving: not 0 or 1 only if something else was written over it, and then not receiving */
  uint8_t incoming;
  int signal, lqi;               /* dBm, 0..255 */
  int heard_signal, heard_lqi;
  int64_t reception_start;       /* us, of the last one */
  int seen_power, seen_channel;  /* what the mote's variables last held */
  int announced_power, announced_channel; /* what the radio last told the medium; -1 at first */
  int64_t transmission_end;               /* us */
  struct packet *packet;                  /* to the mote, or NULL */
  struct link *links;
  uint32_t link_count, link_size;
  struct neighbour *neighbours;
  uint32_t neighbour_count, neighbour_size;
  uint32_t placement; /* the medium's for which they are; 0 before the first transmission */
};

struct mote {
  struct event wakeup; /* first member; what most events need comes next */
  uint8_t *image;
  struct mote_type *type;
  int64_t idle_from;  /* us; from then on, */
  uint64_t idle_span; /* us, for so long, a tick does nothing, but for input (idle.h) */
  int64_t idle_wake;  /* us; when its timers want the next wake-up, INT64_MAX if none does */
  int64_t shown_us; /* the latest mote time above 0: what simCurrentTime is to show */
  int64_t drift_us; /* mote time = simulated time + drift */
  struct radio radio;
  void (*tick)(void);
  bool (*ignores)(const uint8_t *frame, int size); /* idle.h; NULL: not there */
  int id;
  uint32_t index; /* order of creation, which is the order of registration at the medium */
  bool added, removed;  /* to the simulation and from it; both for good */
  bool button_due[2];   /* its release, its press: asked for and still to come */
  int64_t cancelled_us; /* when removed: from when on nothing wakes it */
  int64_t generated_us; /* when the script did so; 0 for those of the description */
  double x, y, z; /* m */
  int quiet_dbm, sending_dbm; /* strength at its radio when none is heard, and when it sends (that only in a directed graph) */
  double rate_kbps; /* of what its radio sends, kbit/s; 0: RATE_KBPS */
  struct serial serial;
  const uint8_t *eeprom;
  uint32_t eeprom_size;
};

/* The mote's variable of that name. */
#define ABI(mote, name) (*(abi_##name *)(void *)((mote)->image + (mote)->type->abi.name))

static inline bool
mote_has(const struct mote *mote, uint32_t interface)
{
  return (mote->type->interfaces & interface) != 0;
}

/* Bytes from the variable at `offset` to the end of the part of memory in which it lies (firmware_reach). */
static inline uint64_t
mote_room(const struct mote *mote, uint32_t offset)
{
  return firmware_reach(&mote->type->firmware, offset);
}

/* What simCurrentTime is to show when the mote's code runs. At times not above 0 Cooja leaves it as it was. Returns the
   mote's time (us). */
static inline int64_t
mote_show_later(struct mote *mote, int64_t now)
{
  int64_t time_us = now + mote->drift_us;

  mote->shown_us = time_us > 0 ? time_us : mote->shown_us;
  return time_us;
}

/* Maps, initialises and configures the mote. */
void mote_create(struct mote *mote);

void mote_set_id(struct simulation *simulation, struct mote *mote, int id);

/* It starts at that time, but for less than a millisecond. */
void mote_set_start(struct simulation *simulation, struct mote *mote, int64_t time_us);

/* A wake-up in which the mote has nothing to do: true, and it is done. Else mote_execute() must follow. */
bool mote_skips(struct simulation *simulation, struct mote *mote);

/* One wake-up. */
void mote_execute(struct simulation *simulation, struct mote *mote);

#endif
