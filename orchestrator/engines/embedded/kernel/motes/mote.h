/* SPDX-License-Identifier: Apache-2.0 */
/* A mote: its image, its clock, its radio, and what happens around one tick. */
#ifndef MOTE_H
#define MOTE_H

#include "events/event_queue.h"
#include "loader/firmware.h"
#include "motes/abi.h"
#include "motes/serial.h"

struct simulation;
struct connection;
struct byte_radio;
struct msp430_image;
struct sky;

struct code_range { /* a section in an image */
  uint64_t start, size;
};

struct idle_rules { /* what idle.c knows about a type's ticks; offsets in an image */
  bool declared;
  uint64_t last_signal, last_lqi;
  uint64_t ignores; /* 0: not there */
};

struct mote_type {
  char *path;
  uint32_t interfaces; /* bits WITH_... */
  unsigned motes, capacity; /* the script may generate more, up to the capacity */
  bool clock_after_radio;  /* in the order of interfaces, so the radio draws first when a mote is added */
  bool serial_after_radio; /* in the order of interfaces, so the script acts on a line after the radio */
  bool is_sky; /* of emulated motes */
  struct firmware firmware;
  struct abi abi;
  struct idle_rules idle;
  struct code_range *shared_sections; /* the sections that its motes share (shared_sections.h); offsets in an image */
  unsigned shared_section_count;
  struct msp430_image *sky_image; /* the firmware of an emulated Tmote Sky, which replaces the library; NULL: of Cooja motes */
  uint32_t sky_interfaces; /* sky/sky.h */
  uint8_t *sky_table;      /* what its firmware holds in place of EEPROMs; NULL: nothing */
  size_t sky_table_size;
  struct mote *holder; /* the mote with the latest copy of these sections; NULL before the first tick */
};

enum { FCS_SIZE = 2 }; /* bytes */

/* A frame with its FCS, shared by the radios that sent or received it last. */
struct packet {
  unsigned holders;
  uint32_t size;
  uint64_t number; /* in the files of observer.h, from 1 */
  uint8_t bytes[];
};

/* Bytes before the FCS. */
static inline int
packet_payload(const struct packet *packet)
{
  return (int)packet->size - FCS_SIZE;
}

struct link { /* from a radio to an active connection; a radio's links are in the order of the connections' starts */
  struct connection *connection;
  uint32_t member; /* index in the connection, or SOURCE */
};

struct neighbour { /* a radio within the larger range; in the order of registration */
  uint32_t mote : 31; /* index */
  uint32_t beyond : 1; /* it is beyond the transmission range at full power */
  int signal;          /* dBm, at full power */
  double distance; /* m */
};

/* The frame in simInSize and simInDataBuffer, or the next one there. */
enum incoming { NO_FRAME, UNREAD_FRAME, LOST_FRAME, NEW_FRAME };

/* The medium changes this; the mote's variables get it when the mote's code runs next (radio_write_back()). */
struct radio {
  bool on, transmitting, interfered, receiving;
  bool changed; /* it is in the medium's list of radios whose signal strength must be computed again */
  bool dirty; /* the mote's variables don't have all of this yet */
  bool heard;   /* a skipped tick would have read heard_signal and heard_lqi */
  int8_t receiving_value; /* of simReceiving; other values than 0 and 1, by which something overwrote it, mean not receiving */
  uint8_t incoming;
  int signal, lqi;               /* dBm, 0..255 */
  int heard_signal, heard_lqi;   /* of an emulated board's radio: the strength that it has measured */
  int64_t reception_start;       /* us, of the last reception */
  int seen_power, seen_channel;  /* the last known values of the mote's variables */
  int announced_power, announced_channel; /* the values that the medium knows; -1 at first */
  int64_t transmission_end;               /* us */
  struct packet *packet;                  /* the frame for the mote, or NULL */
  struct link *links;
  uint32_t link_count, link_size;
  struct neighbour *neighbours;
  uint32_t neighbour_count, neighbour_size;
  uint32_t placement; /* the medium's placement for which they were found; 0 before the first transmission */
  int full_power;     /* the largest value of seen_power */
  struct byte_radio *bytes; /* radio/byte_radio.h; NULL: it sends and receives whole frames */
};

struct mote {
  struct event wakeup; /* first member; members that most events need follow */
  uint8_t *image;
  struct mote_type *type;
  int64_t idle_from;  /* us; from then on */
  uint64_t idle_span; /* us; for so long, ticks do nothing unless there is input (idle.h) */
  int64_t idle_wake;  /* us; the next wake-up that its timers need, INT64_MAX if none */
  int64_t current_us; /* the latest mote time above 0, for simCurrentTime */
  int64_t drift_us; /* mote time = simulated time + drift */
  struct radio radio;
  void (*tick)(void);
  bool (*ignores)(const uint8_t *frame, int size); /* see idle.h; NULL: the firmware has none */
  int id;
  uint32_t index; /* order of creation */
  unsigned added;       /* how often it was added to the simulation; the script gets each of its lines so often */
  bool removed;         /* it is not in the simulation: removed, or generated by the script and not added yet */
  unsigned removals;    /* how often it was removed */
  uint32_t registered;  /* order of registration at the medium */
  bool button_due[2];   /* a release and a press of the button that are requested and have not happened yet */
  bool cancelled;       /* it was removed, and from cancelled_us on nothing wakes it, even if it is added again */
  int64_t cancelled_us;
  double x, y, z; /* m */
  int quiet_dbm, sending_dbm; /* signal strength at its radio when it hears nothing, and when it sends (directed graph only) */
  double exact_quiet_dbm, exact_sending_dbm; /* the same, before Cooja cuts it to whole dBm; emulated radios have it so */
  double rate_kbps; /* bit rate of its radio, kbit/s; 0: RATE_KBPS */
  struct serial serial;
  const uint8_t *eeprom;
  uint32_t eeprom_size;
  struct sky *sky; /* sky/sky.h: an emulated Tmote Sky; NULL: a Cooja mote */
  double deviation; /* speed of its clock by that of the simulation; of a Cooja mote, none */
};

/* The mote's variable with this name. */
#define ABI(mote, name) (*(abi_##name *)(void *)((mote)->image + (mote)->type->abi.name))

static inline bool
mote_has(const struct mote *mote, uint32_t interface)
{
  return (mote->type->interfaces & interface) != 0;
}

/* Bytes from the variable at `offset` to the end of its section (firmware_reach). */
static inline uint64_t
mote_reach(const struct mote *mote, uint32_t offset)
{
  return firmware_reach(&mote->type->firmware, offset);
}

/* Updates the time that simCurrentTime gets when the mote's code runs; at times up to 0 Cooja does not change it. Returns
   the mote's time (us). */
static inline int64_t
mote_advance_clock(struct mote *mote, int64_t now)
{
  int64_t time_us = now + mote->drift_us;

  mote->current_us = time_us > 0 ? time_us : mote->current_us;
  return time_us;
}

/* Must be called with any input but frames and signal strengths (bytes, buttons, the end of its transmission), so that the
   mote's next tick is not skipped (ticks/idle.h). */
static inline void
mote_must_tick(struct mote *mote)
{
  mote->idle_span = 0;
}

#endif
