/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What radios do, on request (--radio FOLDER), in three files:
 *
 *   radio.pcap   every frame as it begins, with its FCS; link type 195 (IEEE 802.15.4), the log's clock, in us
 *   events.csv   time_us,mote,event,frame,channel,power,signal_dbm
 *                off, listening, receiving, interfered, transmitting: what the radio does from now on
 *                sent, received, lost: what became of a frame at this mote; channel, power: a change of these
 *                frame: its place in radio.pcap, from 1; signal_dbm: of received and lost frames
 *   states.csv   mote,off_us,listening_us,receiving_us,interfered_us,transmitting_us: their sum is the simulated time
 *
 * States are told apart as Cooja's PowerTracker does. The first two files are whole up to some record at any moment, the
 * last is written at the end. Off, this costs a comparison with NULL where a radio changes.
 */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "motes/simulation.h"

extern struct observer *observer; /* NULL: nothing is recorded */

/* Creates the files in `folder`, before motes exist. */
void observer_open(struct simulation *simulation, const char *folder);

/* Writes what is buffered; false if that can't be. Safe inside a signal handler, as log_flush(). */
bool observer_flush(void);

/* The simulation has ended. */
void observer_end(void);

void observer_note_state(const struct mote *mote);
void observer_note_start(const struct mote *mote, struct packet *packet);
void observer_note_started(void);
void observer_note_sent(const struct mote *mote);
void observer_note_reception(const struct mote *mote, bool intact);
void observer_note_setting(const struct mote *mote, const char *setting);

/* The radio may be in another state than before. */
static inline void
observe_state(const struct mote *mote)
{
  if(observer != NULL) {
    observer_note_state(mote);
  }
}

/* A transmission begins: its frame gets its number. Then all who hear it at once have been told. */
static inline void
observe_start(const struct mote *mote, struct packet *packet)
{
  if(observer != NULL) {
    observer_note_start(mote, packet);
  }
}

static inline void
observe_started(void)
{
  if(observer != NULL) {
    observer_note_started();
  }
}

/* A transmission went to its end. */
static inline void
observe_sent(const struct mote *mote)
{
  if(observer != NULL) {
    observer_note_sent(mote);
  }
}

/* A frame's reception ends; the radio still has the frame. */
static inline void
observe_reception(const struct mote *mote, bool intact)
{
  if(observer != NULL) {
    observer_note_reception(mote, intact);
  }
}

/* `setting`: channel or power. */
static inline void
observe_setting(const struct mote *mote, const char *setting)
{
  if(observer != NULL) {
    observer_note_setting(mote, setting);
  }
}

#endif
