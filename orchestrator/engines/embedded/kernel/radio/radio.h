/* SPDX-License-Identifier: Apache-2.0 */
/* A mote's radio, like Cooja's ContikiRadio: its actions after a tick, and the medium's effects on it. */
#ifndef RADIO_H
#define RADIO_H

#include "observation/observer.h"
#include "radio/medium.h"

#include <stdlib.h>

void radio_init(struct mote *mote);

/* Brings the mote's variables up to date before its code runs. */
void radio_write_back(struct mote *mote);

/* Reads the present values of its variables, whichever code wrote them. */
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

/* Called after the simulator has written beyond the end of a variable. */
void radio_after_overrun(struct simulation *simulation, struct mote *mote);

/* Handles what a tick may have changed: on and off, power, channel, the end of a transmission, a new one. */
void radio_changed_in_tick(struct simulation *simulation, struct mote *mote);

/* Most ticks do not change the radio. */
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

/* Handles the end of a transmission and the next one: all that is to do after a skipped tick of a radio that transmits. */
void radio_transmit(struct simulation *simulation, struct mote *mote);

/* Replaces its packet. */
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

/* `packet` may be NULL if it comes later, by radio_take_packet(). If it returns true, the mote has to be woken now. */
static inline bool
radio_reception_start(struct simulation *simulation, struct mote *mote, struct packet *packet)
{
  struct radio *radio = &mote->radio;

  if(radio->bytes != NULL) {
    radio->receiving = true;
    power_tracker_note(mote);
    observe_hears(mote);
    observe_state(mote);
    return false;
  }
  radio_take_packet(mote, packet);
  if(radio->interfered || radio->receiving || radio->transmitting) {
    medium_interfere(mote);
    observe_state(mote);
    return false;
  }
  radio->receiving = radio->dirty = true;
  radio->receiving_value = 1;
  radio->reception_start = simulation->queue.now;
  power_tracker_note(mote);
  observe_state(mote);
  return true;
}

/* Has the effect of the tick that is skipped for a receiving mote. */
static inline void
radio_take_strength(struct radio *radio)
{
  radio->heard = radio->dirty = true;
  radio->heard_signal = radio->signal;
  radio->heard_lqi = radio->lqi;
}

/* A frame begins at the mote. If its next tick would be skipped, this does everything that the tick would do and returns
   true. Then no wake-up is needed; the mote only gets a later place among the events at the time that it waits for. */
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
