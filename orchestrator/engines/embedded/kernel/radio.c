/* SPDX-License-Identifier: Apache-2.0 */
#include "radio.h"

#include "fcs.h"
#include "medium.h"
#include "exact.h"
#include "memory.h"
#include "observer.h"
#include "operations.h"
#include "watch.h"

#include <stdlib.h>
#include <string.h>

enum { FCS_SIZE = 2 };
static const double RATE_KBPS = 250.0; /* kbit/s, IEEE 802.15.4 at 2.4 GHz; Cooja's default */

void
radio_init(struct mote *mote)
{
  struct radio *radio = &mote->radio;

  *radio = (struct radio){
    .on = ABI(mote, simRadioHWOn) == 1,
    .signal = QUIET_DBM,
    .seen_power = ABI(mote, simPower),
    .seen_channel = ABI(mote, simRadioChannel),
    .announced_power = -1,
    .announced_channel = -1,
    .transmission_end = -1,
  };
  ABI(mote, simSignalStrength) = QUIET_DBM;
  observe_state(mote);
}

void
radio_take_packet(struct mote *mote, struct packet *packet)
{
  struct packet *old = mote->radio.packet;

  if(packet != NULL) {
    packet->holders++;
  }
  mote->radio.packet = packet;
  if(old != NULL && --old->holders == 0) {
    free(old);
  }
}

void
radio_reception_start(struct simulation *simulation, struct mote *mote)
{
  radio_take_packet(mote, NULL);
  if(mote->radio.interfered || radio_receiving(mote) || mote->radio.transmitting) {
    mote->radio.interfered = true;
    observe_state(mote);
    return;
  }
  ABI(mote, simReceiving) = 1;
  observe_state(mote);
  queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  ABI(mote, simLastPacketTimestamp) = simulation->queue.now;
}

void
radio_reception_end(struct simulation *simulation, struct mote *mote)
{
  struct packet *packet = mote->radio.packet;

  if(radio_receiving(mote)) {
    observe_reception(mote, !mote->radio.interfered);
  }
  if(mote->radio.interfered || packet == NULL) {
    mote->radio.interfered = false;
    medium_mark(&simulation->medium, mote); /* the next update may interfere it again */
    radio_take_packet(mote, NULL);
    ABI(mote, simInSize) = 0;
  } else {
    if(packet->size > mote_room(mote, mote->type->abi.simInDataBuffer)) {
      watch_mote_fault(mote, "a frame longer than simInDataBuffer arrived");
    }
    ABI(mote, simInSize) = (int)packet->size - FCS_SIZE;
    memcpy(&ABI(mote, simInDataBuffer), packet->bytes, packet->size);
    operations.bytes += packet->size;
  }
  ABI(mote, simReceiving) = 0;
  queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  medium_reception_finished(simulation, mote);
  observe_state(mote);
}

static void
switch_on_or_off(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;

  radio->on = !radio->on;
  if(radio->on) {
    observe_state(mote);
    medium_told(simulation, mote);
    return;
  }
  ABI(mote, simReceiving) = 0;
  ABI(mote, simInSize) = 0;
  ABI(mote, simOutSize) = 0;
  radio->transmitting = false; /* its connection stays active, as in Cooja */
  observe_state(mote);
  medium_radio_off(simulation, mote);
}

static struct packet *
packet_from(const struct mote *mote, uint32_t size)
{
  struct packet *packet = allocate(1, sizeof(*packet) + size + FCS_SIZE);

  packet->size = size + FCS_SIZE;
  memcpy(packet->bytes, &ABI(mote, simOutDataBuffer), size);
  fcs_append(packet->bytes, size);
  operations.bytes += packet->size;
  return packet;
}

static void
start_transmission(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int size = ABI(mote, simOutSize);
  struct packet *packet;
  double air_us;

  if((uint64_t)size + FCS_SIZE > mote_room(mote, mote->type->abi.simOutDataBuffer)) {
    watch_mote_fault(mote, "simOutSize is larger than the mote's memory");
  }
  packet = packet_from(mote, (uint32_t)size);
  packet->holders = 1;
  radio->transmitting = true;
  /* In this order of operations: it decides how a fraction is cut. Java cuts what is too much for an int to the largest. */
  air_us = 1000 * ((int32_t)(8 * (uint32_t)size) / (mote->rate_kbps > 0 ? mote->rate_kbps : RATE_KBPS));
  radio->transmission_end = simulation->queue.now + (air_us < 1 ? 1 : air_us < INT32_MAX ? (int64_t)air_us : INT32_MAX);
  observe_start(mote, packet);
  medium_transmission_started(simulation, mote);
  observe_started();
  medium_deliver(simulation, mote, packet);
  if(--packet->holders == 0) {
    free(packet);
  }
}

/* Changes that the medium sees without being told: its next update takes them in. */
static void
note_changes(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int power = ABI(mote, simPower), channel = ABI(mote, simRadioChannel);

  if(power != radio->seen_power || channel != radio->seen_channel) {
    radio->seen_power = power;
    radio->seen_channel = channel;
    medium_mark_with_connections(&simulation->medium, mote);
  }
  if(ABI(mote, simSignalStrength) != radio->signal || (simulation->medium.rules->sets_lqi && radio->link_count > 0)) {
    medium_mark(&simulation->medium, mote);
  }
}

/* The end of a transmission, and the next one. */
static void
transmit(struct simulation *simulation, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int64_t now = simulation->queue.now;

  if(radio->transmitting && now >= radio->transmission_end) {
    ABI(mote, simOutSize) = 0;
    radio->transmitting = false;
    observe_sent(mote);
    observe_state(mote);
    queue_wake(&simulation->queue, &mote->wakeup, now);
    medium_transmission_finished(simulation, mote);
  }
  if(!radio->transmitting && ABI(mote, simOutSize) > 0) {
    start_transmission(simulation, mote);
  }
  if(radio->transmitting && radio->transmission_end > now) {
    queue_wake(&simulation->queue, &mote->wakeup, radio->transmission_end);
  }
}

void
radio_after_skipped_tick(struct simulation *simulation, struct mote *mote)
{
  if(mote->radio.transmitting) {
    transmit(simulation, mote);
  }
}

void
radio_after_tick(struct simulation *simulation, struct mote *mote)
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
    medium_told(simulation, mote);
  }
  if(radio->announced_channel != radio->seen_channel) {
    radio->announced_channel = radio->seen_channel;
    observe_setting(mote, "channel");
    medium_channel_changed(simulation, mote);
  }
  transmit(simulation, mote);
}
