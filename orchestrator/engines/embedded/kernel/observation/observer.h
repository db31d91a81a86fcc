/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what radios do, if asked to (--radio FOLDER), in three files:
 *
 *   radio.pcap   every frame at its beginning, with its FCS; link type 195 (IEEE 802.15.4); times are the log's, in us
 *   events.csv   time_us,mote,event,frame,channel,power,signal_dbm
 *                off, listening, receiving, interfered, transmitting: the radio's new state
 *                sent, received, lost: the fate of a frame at this mote; channel, power: a change of these
 *                frame: its number in radio.pcap, from 1; signal_dbm: of received and lost frames
 *   states.csv   mote,off_us,listening_us,receiving_us,interfered_us,transmitting_us: their sum is the simulated time
 *
 * States are those of Cooja's PowerTracker. At any moment the first two files are complete up to some record; the last one is
 * written at the end. Without a record the cost is a comparison with NULL at each change of a radio.
 */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "motes/simulation.h"

extern struct observer *observer; /* NULL: nothing is recorded */

/* Creates the files in `folder`, before motes exist. */
void observer_open(struct simulation *simulation, const char *folder);

/* Writes what is buffered; returns false if it can't. Safe inside a signal handler, like log_flush(). */
bool observer_flush(void);

/* Finishes the files at the simulation's end. */
void observer_end(void);

void observer_note_state(const struct mote *mote);
void observer_note_reception(const struct mote *mote, bool intact);

/* Must be called when the radio's state may have changed. */
static inline void
observe_state(const struct mote *mote)
{
  if(observer != NULL) {
    observer_note_state(mote);
  }
}

/* The first is called when a transmission begins, and numbers its frame; the second, when all receivers without delay have
   been told. */
void observe_start(const struct mote *mote, struct packet *packet);
void observe_started(void);

/* A transmission came to its end. */
void observe_sent(const struct mote *mote);

/* A frame's reception ends; the radio still has the frame. */
static inline void
observe_reception(const struct mote *mote, bool intact)
{
  if(observer != NULL) {
    observer_note_reception(mote, intact);
  }
}

/* `setting`: channel or power. */
void observe_setting(const struct mote *mote, const char *setting);

#endif
