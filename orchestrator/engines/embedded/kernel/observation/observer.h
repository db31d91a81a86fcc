/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what radios do, if asked to.
 *
 * --air FILE: the compact record, which orchestrate_spark/sources/air reads. It begins with "AIR\n\1\0\0\0". Items follow, each with a first
 * byte: its lower 3 bits are what it is, the upper 5 the us since the item before (31: a number follows that is to be added).
 * Numbers are LEB128; those with a sign are zigzag encoded before (0, -1, 1, -2 are 0, 1, 2, 3).
 *
 *   0..4  a radio is off, listening, receiving, interfered, transmitting: mote (signed)
 *   5     a transmission begins: mote, channel, power (signed), bytes, and so many bytes: the frame with its FCS
 *   6     it ends: mote (signed), how many radios beyond its range it could disturb, count, and for so many others the mote
 *         minus the one before (signed) << 3 | fate
 *         (enum fate); behind received the strength in dBm (signed) that the radio has measured
 *   7     something else, a number: 0 channel or 1 power has changed: mote, value (signed). 2 a reception ends later than the
 *         transmission, or was missed: mote (signed), number of the frame (from 0), fate, strength as above. 3 the record ends: 0 with
 *         the simulation, 1 with a fault. 4 a transmission begins that doesn't send the whole of a frame: mote, channel, power
 *         (signed), the bytes that the frame was to have (0: that did not go out), bytes, and so many bytes of the frame. 5 the
 *         times of an emulated mote's processor, at the end: mote (signed), us active, us in LPM0 to LPM4
 *
 * A radio of an emulated board sends byte by byte. Its frame has its place in both records where it begins; so what follows is
 * written when the frame is complete, or has ended before (its radio was switched off, its mote removed).
 *
 * At any moment the file is complete up to some item.
 *
 * --radio FOLDER: files that other programs can read:
 *
 *   radio.pcap   every frame at its beginning, with its FCS; link type 195 (IEEE 802.15.4); times are the log's, in us; of
 *                a frame that was not sent to its end, what was sent, as of a packet that wasn't captured wholly
 *   events.csv   time_us,mote,event,frame,channel,power,signal_dbm
 *                off, listening, receiving, interfered, transmitting: the radio's new state
 *                sent, received, lost: the fate of a frame at this mote; cut: only a part of it was sent; channel, power: a change
 *                of these
 *                frame: its number in radio.pcap, from 1; signal_dbm: of received and lost frames
 *   states.csv   mote,off_us,listening_us,receiving_us,interfered_us,transmitting_us: their sum is the simulated time
 *
 *   cpu.csv      mote,active_us,lpm0_us,lpm1_us,lpm2_us,lpm3_us,lpm4_us: of the processors of emulated motes, from their boot; not
 *                there without such motes
 *
 * States are those of Cooja's PowerTracker. At any moment the first two files are complete up to some record; the last one is
 * written at the end. Without a record the cost is a comparison with NULL at each change of a radio.
 */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "motes/simulation.h"
#include "observation/outgoing.h"

/* What became of a frame at a radio. CUT_SHORT: its sender was removed, or did not send the whole of it. MISSED: nothing disturbed
   it, but the chip of an emulated board did not take it, as it was not ready when the frame began or its buffer was full. BEYOND: it can't be received there, and may disturb
   (unit disk graphs); these are only counted. */
enum fate { RECEIVED, COLLIDED, BELOW_SENSITIVITY, RADIO_OFF, BUSY_SENDING, WRONG_CHANNEL, LOST_BY_CHANCE, CUT_SHORT, MISSED, BEYOND };

extern struct observer *observer; /* NULL: nothing is recorded */

/* Creates the record `file` and the files in `folder`, before motes exist; either may be NULL. */
void observer_open(struct simulation *simulation, const char *folder, const char *file);

/* Writes what is buffered; returns false if it can't. Safe inside a signal handler, like log_flush(). */
bool observer_flush(void);

/* Finishes the files at the simulation's end. */
void observer_end(void);

/* The state of a radio, as in these files. */
const char *observer_state_name(const struct mote *mote);

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

/* A transmission begins; gives its frame a number. */
void observe_start(const struct mote *mote, struct packet *packet);

/* Radios begin to receive the frame with this number from now on, and none if it is 0: so when all those without delay know. */
void observe_starting(uint64_t number);

/* One begins that goes byte by byte. `outgoing` must hold what has gone out, until the second one is called, at the transmission's
   end or when its mote is removed. */
void observe_outgoing(const struct mote *mote, const struct outgoing *outgoing);
void observe_outgoing_end(const struct mote *mote);

/* A transmission came to its end; `reaches`: the medium knows of it. */
void observe_sent(const struct mote *mote, bool reaches);

/* A frame's reception ends; the radio still has the frame. */
static inline void
observe_reception(const struct mote *mote, bool intact)
{
  if(observer != NULL) {
    observer_note_reception(mote, intact);
  }
}

/* A radio of an emulated board begins to receive the frame that is starting now. */
void observe_hears(const struct mote *mote);

/* Whether that was the frame with this number. */
bool observer_hears(const struct mote *mote, uint64_t number);

/* Whether only a part of the frame with this number was sent. */
bool observer_knows_partly(uint64_t number);

/* Whether anyone wants the fates of frames. */
bool observer_wants_fates(void);

/* A transmission comes to its end; `count` fates at other radios follow, without those BEYOND. */
void observer_begin_fates(const struct mote *sender, uint32_t beyond, uint32_t count);
void observer_add_fate(const struct mote *mote, enum fate fate);

/* The fate of a frame with this number at a radio behind an edge with a delay. */
void observer_note_late(const struct mote *mote, uint64_t number, enum fate fate);

/* Whether the frame with this number is the last that the radio has received: the end of another one may end its reception. */
bool observer_knows_received(const struct mote *mote, uint64_t number);

/* The number of the last frame of a mote; 0: nothing is recorded. */
uint64_t observed_frame(const struct mote *mote);

/* Ends the record at a fault; safe inside a signal handler while no item is being written. */
void observer_cut(void);

/* `setting`: channel or power. */
void observe_setting(const struct mote *mote, const char *setting);

#endif
