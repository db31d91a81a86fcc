/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of Cooja's media, in both rule sets; each medium is a struct
 * medium_rules in a file of its own. Cooja computes signal strengths of all radios
 * at every event; here they are computed only for radios whose state, links or
 * neighbourhood changed since the last update.
 */
#ifndef MEDIUM_H
#define MEDIUM_H

#include "base/reader.h"
#include "motes/simulation.h"
#include "observation/observer.h"
#include "observation/power_tracker.h"

enum { QUIET_DBM = -100, STRONG_DBM = -10, WEAK_DBM = -95 }; /* Cooja's */
enum { FULL_POWER = 100 }; /* of a Cooja mote: % of the range */

struct medium;

struct edge { /* of the directed graph */
  uint32_t mote; /* index of the mote to which it leads */
  bool repeats;  /* an earlier edge leads to the same radio */
  struct edge *next; /* the next edge to the same radio, or NULL */
  double ratio;  /* of reception, 0..1 */
  double signal; /* dBm */
  int lqi, channel; /* channel -1: any */
  bool gone;        /* one of its motes was removed */
  bool cut;         /* the link was cut, and may be set again */
  int64_t delay; /* us */
};

struct edges {
  struct edge *list; /* in the order of the description */
  struct edge *own;  /* the first edge that leads to its own source, or NULL */
  uint32_t count, size;
};

struct member { /* a radio that hears a transmission, or might */
  struct mote *mote;
  union {
    double distance;         /* m, unit disk graph */
    double loss;             /* dB, logistic loss, without the parts that vary */
    double dbm;              /* the signal, log-distance */
    const struct edge *edge; /* directed graph: the first edge to this radio */
  };
  int64_t delay;    /* us, until a destination notices the transmission */
  int signal;       /* dBm, unit disk graph; INT_MIN: none */
  bool beyond;      /* it is beyond the transmission range, unit disk graph */
  bool destination; /* it was to receive the frame when that began */
  bool interfered;
  bool undisturbed; /* a destination that nothing has interfered with since it became one */
  bool only_interfered; /* it is interfered, and did not become a destination after that */
  bool again; /* a further reception by a radio that is a member already (directed graph) */
  uint8_t fate; /* enum fate, of the frame at this radio so far */
};

struct connection { /* an active transmission */
  struct mote *source;
  struct member *members; /* in the order of registration, or of the edges */
  uint32_t count, size;
  uint32_t *interfered; /* members, in the order in which they became interfered */
  uint32_t interfered_count;
  bool repeats; /* some members are `again` */
  bool lost;    /* by chance, for all radios */
  struct connection *next_free;
  struct connection *earlier, *later; /* active connections, if they are listed */
};

/* The functions by which media differ. */
struct medium_rules {
  const char *name; /* in the description */
  bool placed;      /* the description has its ranges and ratios */
  /* Reads its own lines, which follow these, into `own`; NULL: there are none. */
  void (*read)(struct reader *reader, struct medium *medium);
  void (*init)(struct simulation *simulation);
  /* Finds which radios receive the frame that begins and which are disturbed; draws the random numbers, tells the radios
     and computes their signal strengths. */
  void (*connect)(struct simulation *simulation, struct mote *source, struct packet *packet);
  /* Computes a radio's signal strength, and its consequences. */
  void (*update)(const struct medium *medium, struct mote *mote);
  bool sets_lqi;
  /* Replaces `update` where Cooja's loop over all radios draws random numbers or does nothing; else NULL. */
  void (*update_all)(struct simulation *simulation);
  /* Computes what radios of emulated boards hear, all of them, in Cooja's order; NULL: update_all does, or nothing does. */
  void (*update_bytes)(struct simulation *simulation);
  /* Called when a radio is added or removed; may be NULL. */
  void (*join)(struct medium *medium, struct mote *mote);
  void (*leave)(struct medium *medium, struct mote *mote);
  /* Called when a radio was removed and signal strengths were updated after that. */
  void (*left)(struct medium *medium, struct mote *mote);
  /* Called when a radio of an active transmission moved, or the transmission's power changed; NULL: neither matters. */
  void (*work_out)(const struct medium *medium, struct connection *connection);
};

/* Makes a medium known by its name; the last line of the file that has it. Nothing else lists the media. */
struct known_medium {
  const struct medium_rules *rules;
  struct known_medium *next;
};
extern struct known_medium *known_media;
#define MEDIUM(its_rules)                                                                                                     \
  __attribute__((constructor)) static void                                                                                    \
  make_known(void)                                                                                                            \
  {                                                                                                                           \
    static struct known_medium known = {&(its_rules), NULL};                                                                  \
    known.next = known_media;                                                                                                 \
    known_media = &known;                                                                                                     \
  }

extern const struct medium_rules directed_graph; /* which alone has edges */

struct medium {
  const struct medium_rules *rules;
  double transmission_range, interference_range; /* m, at power 100 % */
  double transmission_ratio, reception_ratio;    /* 0..1 */
  void *own; /* parameters and state that only the file of these rules knows */
  bool rules_2026_07;
  struct mote **changed; /* the motes that the next update has to visit */
  uint32_t changed_count;
  struct mote **by_x; /* motes with a radio, by their x coordinate */
  uint32_t radio_count;
  uint32_t registrations; /* how many there were */
  uint32_t placement; /* increases whenever a radio is added, removed or moved */
  uint32_t sorted;    /* the placement for which by_x is sorted */
  struct edges *edges; /* by index of their source */
  uint32_t edge_sources; /* how many; motes that were added later have none */
  bool lists_active; /* the active connections are listed, in the order of their starts */
  struct connection *first, *last;
  struct mote **byte_radios; /* those of emulated boards, in the order of registration */
  uint32_t byte_radio_count;
  struct connection *free;
  struct delivery *free_deliveries;
  uint64_t transmissions, receptions, interferences;
  /* Counts work that must not grow with the number of motes: visited radios (to find neighbours, at the start and the end of
     a transmission, for signals) and copied bytes of frames. */
  uint64_t radios_seen, frame_bytes;
};

/* Adds an edge to the directed graph while the simulation runs. */
void directed_graph_add(struct simulation *simulation, uint32_t source, struct edge edge);

/* Gives all edges between these two radios the values of this one, or adds it if there are none. */
void directed_graph_set(struct simulation *simulation, uint32_t source, struct edge edge);

/* Takes all edges between these two radios away, for frames that begin from now on. */
void directed_graph_cut(struct simulation *simulation, uint32_t source, uint32_t destination);

/* Must be called when all motes exist. */
void medium_init(struct simulation *simulation);

void medium_mark(struct medium *medium, struct mote *mote);

/* Marks the mote and all that hear its transmission as changed. */
void medium_mark_with_connections(struct medium *medium, struct mote *mote);

/* Updates signal strengths; a radio that is interfered in an active transmission on its channel is interfered again. */
void medium_update(struct simulation *simulation);

/* Changes of a radio; those of a removed radio do not reach the medium. */
void medium_radio_changed(struct simulation *simulation, struct mote *mote); /* an update */
void medium_radio_off(struct simulation *simulation, struct mote *mote);
void medium_channel_changed(struct simulation *simulation, struct mote *mote);
/* `packet` is NULL if the frame goes byte by byte; each byte follows, and the whole frame before the end. */
void medium_transmission_started(struct simulation *simulation, struct mote *mote, struct packet *packet);
void medium_byte_sent(struct simulation *simulation, struct mote *mote, uint8_t byte);
void medium_frame_sent(struct simulation *simulation, struct mote *mote, struct packet *packet);
void medium_transmission_finished(struct simulation *simulation, struct mote *mote);
void medium_transmission_cut(struct simulation *simulation, struct mote *mote); /* finished too early, and so received by nobody */
void medium_reception_finished(struct simulation *simulation, struct mote *mote);

/* Tells the members of a connection about it, now or later; with packet NULL not about its frame. */
void medium_begin(struct simulation *simulation, const struct connection *connection, struct packet *packet);

/* A radio is added, removed or moved. */
void medium_join(struct simulation *simulation, struct mote *mote);
void medium_leave(struct simulation *simulation, struct mote *mote);
void medium_moved(struct simulation *simulation, struct mote *mote);

/* The strength (dBm) with which an update begins. Cooja resets the strength of radios in the medium only. */
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

/* The part of its full power with which a radio sends. */
static inline double
medium_power(const struct mote *source)
{
  return (double)source->radio.seen_power / (double)source->radio.full_power;
}

/* The radio receives nothing intact until something ends that. */
static inline void
medium_interfere(struct mote *mote)
{
  bool already = mote->radio.interfered;

  mote->radio.interfered = true;
  if(mote->radio.bytes != NULL) {
    mote->radio.receiving = false;
  }
  if(!already) {
    power_tracker_note(mote);
  }
}

/* The same, where Cooja tells even a radio that is interfered already; those of Cooja motes don't make an event of it. */
static inline void
medium_interfere_anyhow(struct mote *mote)
{
  medium_interfere(mote);
  if(mote->radio.bytes != NULL) {
    power_tracker_note(mote);
  }
}

static inline bool
channels_differ(const struct mote *a, const struct mote *b)
{
  return a->radio.seen_channel >= 0 && b->radio.seen_channel >= 0 && a->radio.seen_channel != b->radio.seen_channel;
}

#endif
