/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/radio.h"

#include "base/exact.h"
#include "base/memory.h"
#include "observation/observer.h"
#include "observation/watch.h"
#include "radio/byte_radio.h"
#include "radio/connection.h"
#include "radio/fcs.h"
#include "radio/medium.h"

#include <string.h>

static const double RATE_KBPS = 250.0; /* kbit/s, IEEE 802.15.4 at 2.4 GHz; Cooja's default */

void
radio_init(struct mote *mote)
{
  struct radio *radio = &mote->radio;

  *radio = (struct radio){
    .on = ABI(mote, simRadioHWOn) == 1,
    .signal = ABI(mote, simSignalStrength),
    .lqi = ABI(mote, simLQI),
    .reception_start = ABI(mote, simLastPacketTimestamp),
    .receiving = ABI(mote, simReceiving) == 1,
    .receiving_value = ABI(mote, simReceiving),
    .seen_power = ABI(mote, simPower),
    .seen_channel = ABI(mote, simRadioChannel),
    .announced_power = -1,
    .announced_channel = -1,
    .full_power = FULL_POWER,
  };
  observe_state(mote);
}

void
radio_write_back(struct mote *mote)
{
  struct radio *radio = &mote->radio;

  radio->dirty = false;
  ABI(mote, simSignalStrength) = radio->signal;
  ABI(mote, simLQI) = radio->lqi;
  ABI(mote, simReceiving) = radio->receiving_value;
  ABI(mote, simLastPacketTimestamp) = radio->reception_start;
  if(radio->heard) {
    radio->heard = false;
    memcpy(mote->image + mote->type->idle.last_signal, &radio->heard_signal, sizeof(radio->heard_signal));
    memcpy(mote->image + mote->type->idle.last_lqi, &radio->heard_lqi, sizeof(radio->heard_lqi));
  }
  if(radio->incoming == LOST_FRAME) {
    ABI(mote, simInSize) = 0;
  } else if(radio->incoming == NEW_FRAME) {
    if(radio->packet->size > mote_reach(mote, mote->type->abi.simInDataBuffer)) {
      watch_mote_fault(mote, "a frame longer than simInDataBuffer arrived");
    }
    ABI(mote, simInSize) = packet_payload(radio->packet);
    memcpy(&ABI(mote, simInDataBuffer), radio->packet->bytes, radio->packet->size);
  }
}

/* Changes that the medium sees at its next update, without being told. */
static void
note_changes(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int power = ABI(mote, simPower), channel = ABI(mote, simRadioChannel);

  if(power != radio->seen_power || channel != radio->seen_channel) {
    radio->seen_power = power;
    radio->seen_channel = channel;
    medium_mark_with_connections(simulation->medium, mote);
  }
  if(ABI(mote, simSignalStrength) != radio->signal || (simulation->medium->rules->sets_lqi && radio->link_count > 0)) {
    radio->signal = ABI(mote, simSignalStrength);
    medium_mark(simulation->medium, mote);
  }
}

/* Cooja copies a frame longer than simInDataBuffer over the variables behind it: now, after everything written so far, and
   before the end of the reception is announced. */
static void
overrun_in_buffer(struct simulation *simulation, struct mote *mote)
{
  mote->radio.incoming = NEW_FRAME;
  radio_write_back(mote);
  radio_after_overrun(simulation, mote);
}

/* The medium may read some of it before the mote's next tick. */
void
radio_after_overrun(struct simulation *simulation, struct mote *mote)
{
  radio_read(mote);
  note_changes(simulation, mote);
  mote_must_tick(mote);
}

void
radio_reception_end(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;

  if(radio->bytes != NULL) {
    byte_radio_end(simulation, mote);
    return;
  }
  if(radio->receiving) {
    observe_reception(mote, !radio->interfered);
  }
  if(radio->interfered || radio->packet == NULL) {
    radio->interfered = false;
    medium_mark(simulation->medium, mote); /* the next update may interfere it again */
    radio_take_packet(mote, NULL);
    radio->incoming = LOST_FRAME;
  } else {
    if(radio->packet->size > mote->type->abi.in_buffer) {
      overrun_in_buffer(simulation, mote);
    } else {
      radio->incoming = NEW_FRAME;
    }
    simulation->medium->frame_bytes += radio->packet->size;
  }
  radio->receiving = false;
  radio->receiving_value = 0;
  radio->dirty = true;
  queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  medium_reception_finished(simulation, mote);
  power_tracker_note(mote);
  observe_state(mote);
}

static void
switch_on_or_off(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;

  radio->on = !radio->on;
  if(radio->on) {
    observe_state(mote);
    medium_radio_changed(simulation, mote);
    power_tracker_note(mote);
    return;
  }
  radio->receiving = false;
  radio->receiving_value = 0;
  radio->incoming = NO_FRAME;
  ABI(mote, simReceiving) = 0;
  ABI(mote, simInSize) = 0;
  ABI(mote, simOutSize) = 0;
  mote_must_tick(mote);
  radio->transmitting = false; /* its connection stays active, as in Cooja */
  observe_state(mote);
  medium_radio_off(simulation, mote);
  power_tracker_note(mote);
}

static struct packet *
packet_from(const struct mote *mote, uint32_t size)
{
  struct packet *packet = allocate(1, sizeof(*packet) + size + FCS_SIZE);

  packet->size = size + FCS_SIZE;
  memcpy(packet->bytes, &ABI(mote, simOutDataBuffer), size);
  fcs_append(packet->bytes, size);
  return packet;
}

static void
start_transmission(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int size = ABI(mote, simOutSize);
  struct packet *packet;
  double air_us;

  if((uint64_t)size + FCS_SIZE > mote_reach(mote, mote->type->abi.simOutDataBuffer)) {
    watch_mote_fault(mote, "simOutSize is larger than the mote's memory");
  }
  packet = packet_from(mote, (uint32_t)size);
  simulation->medium->frame_bytes += packet->size;
  packet->holders = 1;
  radio->transmitting = true;
  /* The order of operations matters, because it decides how fractions are cut. Java limits the result to the largest int. */
  air_us = 1000 * ((int32_t)(8 * (uint32_t)size) / (mote->rate_kbps > 0 ? mote->rate_kbps : RATE_KBPS));
  radio->transmission_end = simulation->queue.now + (air_us < 1 ? 1 : air_us < INT32_MAX ? (int64_t)air_us : INT32_MAX);
  observe_start(mote, packet);
  if(simulation->sent != NULL) {
    simulation->sent(simulation, mote, simulation->queue.now, packet);
  }
  medium_transmission_started(simulation, mote, packet);
  power_tracker_note(mote);
  observe_starting(0);
  if(--packet->holders == 0) {
    free(packet);
  }
}

void
radio_transmit(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int64_t now = simulation->queue.now;

  if(radio->transmitting && now >= radio->transmission_end) {
    ABI(mote, simOutSize) = 0;
    mote_must_tick(mote);
    radio->transmitting = false;
    observe_sent(mote, connection_from(mote) != NULL);
    observe_state(mote);
    queue_wake(&simulation->queue, &mote->wakeup, now);
    medium_transmission_finished(simulation, mote);
    power_tracker_note(mote);
  }
  if(!radio->transmitting && ABI(mote, simOutSize) > 0) {
    start_transmission(simulation, mote);
  }
  if(radio->transmitting && radio->transmission_end > now) {
    queue_wake(&simulation->queue, &mote->wakeup, radio->transmission_end);
  }
}

void
radio_changed_in_tick(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;

  note_changes(simulation, mote);
  if(radio->on != (ABI(mote, simRadioHWOn) == 1)) {
    switch_on_or_off(simulation, mote);
  }
  if(!radio->on) {
    return;
  }
  if(radio->announced_power != radio->seen_power) {
    radio->announced_power = radio->seen_power;
    observe_setting(mote, "power");
    medium_radio_changed(simulation, mote);
    power_tracker_note(mote);
  }
  if(radio->announced_channel != radio->seen_channel) {
    radio->announced_channel = radio->seen_channel;
    observe_setting(mote, "channel");
    medium_channel_changed(simulation, mote);
    power_tracker_note(mote);
  }
  radio_transmit(simulation, mote);
}
