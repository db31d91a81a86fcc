/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Cooja's media have in common, in its two rule sets; each medium is a
 * struct medium_rules in a file of its own. What Cooja works out over all radios
 * at every event is worked out here only for radios whose state, links or
 * neighbourhood changed since the last update.
 */
#ifndef MEDIUM_H
#define MEDIUM_H

#include "motes/simulation.h"

enum { QUIET_DBM = -100, STRONG_DBM = -10, WEAK_DBM = -95 }; /* Cooja's */

struct medium;

struct edge { /* of the directed graph, from one radio */
  uint32_t mote; /* to it: its index */
  bool repeats;  /* an edge before it leads to the same radio */
  struct edge *next; /* that does so after it, or NULL */
  double ratio;  /* of reception, 0..1 */
  double signal; /* dBm */
  int lqi, channel; /* -1: of any channel */
  bool gone;        /* with one of its motes */
  int64_t delay; /* us */
};

struct edges {
  struct edge *list; /* in the order of the description */
  struct edge *own;  /* the first that leads to its own source, or NULL */
  uint32_t count, size;
};

struct member { /* a radio that hears a transmission, or could */
  struct mote *mote;
  union {
    double distance;         /* m, unit disk graph */
    double loss;             /* dB, logistic loss, but for what varies */
    const struct edge *edge; /* directed graph: the first to this radio */
  };
  int64_t delay;    /* us, until a destination notices anything */
  int signal;       /* dBm, unit disk graph; INT_MIN: none */
  bool beyond;      /* the transmission range, unit disk graph */
  bool destination; /* was to receive the frame when it began */
  bool interfered;
  bool undisturbed; /* a destination that nothing has interfered since it became one */
  bool only_interfered; /* interfered, and became no destination after that */
  bool again; /* one more reception of a radio that is a member already (directed graph) */
};

struct connection { /* an active transmission */
  struct mote *source;
  struct member *members; /* in order of registration, or of the edges */
  uint32_t count, size;
  uint32_t *interfered; /* members, in the order in which they became interfered */
  uint32_t interfered_count;
  bool repeats; /* some members are so `again` */
  struct connection *next_free;
  struct connection *earlier, *later; /* active ones, where the medium keeps them (logistic loss) */
};

/* What differs between media. */
struct medium_rules {
  void (*init)(struct simulation *simulation);
  /* Who receives the frame that begins, and who is disturbed; draws the random numbers, tells them, and works their
     signal strengths out. */
  void (*connect)(struct simulation *simulation, struct mote *source, struct packet *packet);
  /* A radio's signal strength, and what follows from it. */
  void (*update)(const struct medium *medium, struct mote *mote);
  bool sets_lqi;
  /* In place of `update`, where Cooja's loop over all radios draws random numbers, or does nothing at all; else NULL. */
  void (*update_all)(struct simulation *simulation);
  /* A transmission has ended; NULL where that does nothing. */
  void (*finish)(struct medium *medium, struct connection *connection);
  /* A radio comes, goes, is at another place; NULL where that does nothing. */
  void (*join)(struct medium *medium, struct mote *mote);
  void (*leave)(struct medium *medium, struct mote *mote);
  /* It has gone, and the update of signal strengths that comes with that is done. */
  void (*left)(struct medium *medium, struct mote *mote);
  void (*move)(const struct medium *medium, struct mote *mote);
  /* The power of an active transmission changed; NULL where that does nothing. */
  void (*repower)(const struct medium *medium, struct connection *connection);
};

extern const struct medium_rules unit_disk, constant_loss, directed_graph, logistic_loss, silent;

struct medium {
  const struct medium_rules *rules;
  double transmission_range, interference_range; /* m, at power 100 % */
  double transmission_ratio, reception_ratio;    /* 0..1 */
  struct logistic *logistic; /* what only that medium has (logistic_loss.h) */
  bool rules_2026_07;
  struct mote **changed; /* to be looked at by the next update */
  uint32_t changed_count;
  struct mote **by_x; /* motes with a radio, by their x coordinate */
  uint32_t radio_count;
  uint32_t registrations; /* so many in all */
  uint32_t placement; /* grows whenever a radio comes, goes or moves */
  uint32_t sorted;    /* the placement for which by_x is sorted */
  struct edges *edges; /* by index of their source */
  uint32_t edge_sources; /* so many; motes that came later have none */
  struct connection *free;
  struct delivery *free_deliveries;
  uint64_t transmissions, receptions, interferences;
  /* Work that must not grow with the number of motes: radios looked at (to find a radio's neighbours, at a transmission's
     start and end, for signals); bytes of frames, into the air and out of it. */
  uint64_t radios_seen, frame_bytes;
};

/* After all motes exist. */
void medium_init(struct simulation *simulation);

void medium_mark(struct medium *medium, struct mote *mote);

/* The mote and all that hear a transmission of it. */
void medium_mark_with_connections(struct medium *medium, struct mote *mote);

/* New signal strengths; who stands interfered in an active transmission on its channel is interfered again. */
void medium_update(struct simulation *simulation);

/* What happened to a radio; nothing of it reaches the medium from one that has left. */
void medium_radio_changed(struct simulation *simulation, struct mote *mote); /* an update */
void medium_radio_off(struct simulation *simulation, struct mote *mote);
void medium_channel_changed(struct simulation *simulation, struct mote *mote);
void medium_transmission_started(struct simulation *simulation, struct mote *mote, struct packet *packet);
void medium_transmission_finished(struct simulation *simulation, struct mote *mote);
void medium_reception_finished(struct simulation *simulation, struct mote *mote);

/* The members of a connection hear of it, now or later. packet NULL: of its frame they do not. */
void medium_begin(struct simulation *simulation, const struct connection *connection, struct packet *packet);

/* A radio comes, goes, or is at another place. */
void medium_join(struct simulation *simulation, struct mote *mote);
void medium_leave(struct simulation *simulation, struct mote *mote);
void medium_moved(struct simulation *simulation, struct mote *mote);

/* dBm, from which an update begins. Cooja resets the strength of radios in the medium only. */
static inline int
medium_base_signal(const struct mote *mote)
{
  return !mote->removed ? mote->quiet_dbm : mote->radio.dirty ? mote->radio.signal : ABI(mote, simSignalStrength);
}

static inline void
medium_set_signal(struct mote *mote, int signal)
{
  mote->radio.signal = signal;
  mote->radio.dirty = true;
}

static inline bool
channels_differ(const struct mote *a, const struct mote *b)
{
  return a->radio.seen_channel >= 0 && b->radio.seen_channel >= 0 && a->radio.seen_channel != b->radio.seen_channel;
}

#endif
