/* SPDX-License-Identifier: Apache-2.0 */
/* A mote's radio as Cooja's ContikiRadio has it: what it does after a tick, and what the medium does to it. */
#ifndef RADIO_H
#define RADIO_H

#include "observation/observer.h"
#include "radio/medium.h"

#include <stdlib.h>

void radio_init(struct mote *mote);

/* Writes what isn't in the mote's variables yet; its code runs next. */
void radio_write_back(struct mote *mote);

/* What its variables hold now, whoever wrote it. */
static inline void
radio_read(struct mote *mote)
{
  struct radio *radio = &mote->radio;

  radio->receiving_value = ABI(mote, simReceiving);
  radio->receiving = radio->receiving_value == 1;
  radio->lqi = ABI(mote, simLQI);
  radio->reception_start = ABI(mote, simLastPacketTimestamp);
  radio->incoming = ABI(mote, simInSize) > 0 ? UNREAD_FRAME : NO_FRAME;
}

/* The simulator is about to write over the end of a variable, and has done so. */
void radio_before_overrun(struct mote *mote);
void radio_after_overrun(struct simulation *simulation, struct mote *mote);

/* On and off, power, channel, the end of a transmission, a new one. */
void radio_changed_in_tick(struct simulation *simulation, struct mote *mote);

/* Most ticks leave the radio alone. */
static inline void
radio_after_tick(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int power = ABI(mote, simPower), channel = ABI(mote, simRadioChannel);

  radio_read(mote);
  if(radio->transmitting | (ABI(mote, simOutSize) > 0) | (radio->on != (ABI(mote, simRadioHWOn) == 1)) |
     (power != radio->seen_power) | (channel != radio->seen_channel) |
     (power != radio->announced_power) | (channel != radio->announced_channel) |
     (ABI(mote, simSignalStrength) != radio->signal) | simulation->medium->rules->sets_lqi) {
    radio_changed_in_tick(simulation, mote);
  }
}

/* The same after a tick that didn't run, of a radio that transmits: its variables are as they were. */
void radio_after_skipped_tick(struct simulation *simulation, struct mote *mote);

/* Instead of the one that it has. */
static inline void
radio_take_packet(struct mote *mote, struct packet *packet)
{
  struct packet *old = mote->radio.packet;

  if(mote->radio.incoming == NEW_FRAME) { /* the old one has come at this very time; its mote is still to be woken */
    radio_write_back(mote);
    mote->radio.incoming = UNREAD_FRAME;
  }
  if(packet != NULL) {
    packet->holders++;
  }
  mote->radio.packet = packet;
  if(old != NULL && --old->holders == 0) {
    free(old);
  }
}

/* The packet may also come later: NULL, then radio_take_packet(). If it returns true, its mote is to be woken now. */
static inline bool
radio_reception_start(struct simulation *simulation, struct mote *mote, struct packet *packet)
{
  struct radio *radio = &mote->radio;

  radio_take_packet(mote, packet);
  if(radio->interfered || radio->receiving || radio->transmitting) {
    radio->interfered = true;
    observe_state(mote);
    return false;
  }
  radio->receiving = radio->dirty = true;
  radio->receiving_value = 1;
  radio->reception_start = simulation->queue.now;
  observe_state(mote);
  return true;
}

/* What a skipped tick of a mote that receives does. */
static inline void
radio_take_strength(struct radio *radio)
{
  radio->heard = radio->dirty = true;
  radio->heard_signal = radio->signal;
  radio->heard_lqi = radio->lqi;
}

/* A frame begins at the mote. Is all of that done if its tick, which comes next, would be skipped? Then no wake-up is
   needed: only its place among events at the time that it waits for is a later one. */
static inline bool
radio_hear_without_tick(struct simulation *simulation, struct mote *mote)
{
  struct event *event = &mote->wakeup;

  if((uint64_t)simulation->queue.now - (uint64_t)mote->idle_from >= mote->idle_span || !mote->radio.on ||
     simulation->script_acts || !queue_is_last(&simulation->queue) ||
     (event->queued ? event->time != mote->idle_wake : mote->idle_wake != INT64_MAX)) {
    return false;
  }
  radio_take_strength(&mote->radio);
  queue_renew(&simulation->queue, event);
  mote_advance_clock(mote, simulation->queue.now);
  simulation->heard++;
  return true;
}

void radio_reception_end(struct simulation *simulation, struct mote *mote);

#endif
