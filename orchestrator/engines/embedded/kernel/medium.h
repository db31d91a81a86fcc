/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja's unit disk graph medium (UDGM), in its two rule sets. What Cooja works
 * out over all radios at every event is worked out here only for radios whose
 * state, links or neighbourhood changed since the last update.
 */
#ifndef MEDIUM_H
#define MEDIUM_H

#include "mote.h"

struct member { /* a radio that hears a transmission, or could */
  struct mote *mote;
  double distance;  /* m */
  bool destination; /* was to receive the frame when it began */
  bool interfered;
};

struct connection { /* an active transmission */
  struct mote *source;
  struct member *members; /* in order of registration */
  uint32_t count, size;
  uint32_t *interfered; /* members, in the order in which they became interfered */
  uint32_t interfered_count;
  struct connection *next_free;
};

struct medium {
  double transmission_range, interference_range; /* m, at power 100 % */
  double transmission_ratio, reception_ratio;    /* 0..1 */
  bool rules_2026_07;
  struct mote **changed; /* to be looked at by the next update */
  uint32_t changed_count;
  struct mote **by_x; /* motes with a radio, by their x coordinate */
  uint32_t radio_count;
  struct connection *free;
  uint64_t transmissions, receptions, interferences;
};

/* After all motes exist. */
void medium_init(struct simulation *simulation);

void medium_mark(struct medium *medium, struct mote *mote);

/* The mote and all that hear a transmission of it. */
void medium_mark_with_connections(struct medium *medium, struct mote *mote);

/* New signal strengths; who stands interfered in an active transmission on its channel is interfered again. */
void medium_update(struct simulation *simulation);

/* What happened to a radio. */
void medium_radio_off(struct simulation *simulation, struct mote *mote);
void medium_channel_changed(struct simulation *simulation, struct mote *mote);
void medium_transmission_started(struct simulation *simulation, struct mote *mote);
void medium_deliver(struct simulation *simulation, struct mote *mote, struct packet *packet);
void medium_transmission_finished(struct simulation *simulation, struct mote *mote);
void medium_reception_finished(struct simulation *simulation, struct mote *mote);

#endif
