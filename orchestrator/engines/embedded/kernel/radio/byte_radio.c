/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/byte_radio.h"

#include "base/exact.h"
#include "base/memory.h"
#include "observation/watch.h"
#include "radio/bit_errors.h"
#include "radio/connection.h"
#include "radio/radio.h"

#include <stdlib.h>
#include <string.h>

enum { MEASUREMENT_US = BYTE_US / 2 };
enum { NOISE = 0xff };        /* in place of each byte of a disturbed frame */
enum { TOO_LONG = 0x80 };     /* a bit of the length that frames don't have */
enum { SYNCHRONIZATION = 5 }; /* bytes of the header before the length */
static const uint8_t HEADER[SYNCHRONIZATION] = {0, 0, 0, 0, 0x7a};

struct byte_event { /* a byte comes to its end at a radio */
  struct time_event time_event; /* first member */
  struct mote *mote;
  unsigned removals; /* of the mote, when it was queued: with the mote go its events */
  uint8_t byte;
  struct byte_event *next_free;
};

static struct byte_event *free_events;

/* ---- what it hears ---- */

/*
 * Radios that measure one after the other at one time. A transmission begins for all that hear it at once, so most measurements
 * of a simulation come in such groups, of which each is one event.
 */
struct group {
  struct time_event event; /* first member */
  struct byte_radio **radios;
  uint32_t count, size;
  struct group *next_free;
};

static struct group *free_groups, *last_group; /* the last one is that which was queued last */
static uint64_t last_steps; /* of the queue, after the last radio was added to it */

static void measure_all(struct simulation *simulation, struct time_event *time_event);

static struct group *
new_group(struct simulation *simulation, int64_t time)
{
  struct group *group = free_groups;

  if(group != NULL) {
    free_groups = group->next_free;
  } else {
    group = allocate(1, sizeof(*group));
    event_init(&group->event.event);
  }
  group->count = 0;
  time_event_insert(&simulation->queue, &group->event, measure_all, time);
  return group;
}

/* A radio joins the last group if nothing else has been queued since; where a mote's fault may end an event, each has its own. */
static void
queue_measurement(struct simulation *simulation, struct byte_radio *radio, int64_t time)
{
  struct group *group = last_group;

  if(group == NULL || group->event.event.time != time || simulation->queue.steps != last_steps || simulation->fell != NULL) {
    group = last_group = new_group(simulation, time);
    last_steps = simulation->queue.steps;
  }
  radio->removals = radio->mote->removals;
  group->radios = with_room(group->radios, group->count, &group->size, 4, sizeof(struct byte_radio *));
  group->radios[group->count++] = radio;
}

static void
measure(struct simulation *simulation, struct byte_radio *radio)
{
  double sum = 0;

  if(radio->removals != radio->mote->removals) {
    return;
  }
  radio->chip->be_measured(simulation, radio->mote);
  for(int i = 0; i < MEASURED; i++) {
    radio->last[i] = i < MEASURED - 1 ? radio->last[i + 1] : radio->signal;
    sum += radio->last[i];
  }
  radio->mote->radio.heard_signal = to_int(sum / MEASURED);
  radio->chip->set_strength(radio->mote, radio->mote->radio.heard_signal);
  if(--radio->to_measure > 0) {
    queue_measurement(simulation, radio, simulation->queue.now + MEASUREMENT_US);
  }
}

static void
measure_all(struct simulation *simulation, struct time_event *time_event)
{
  struct group *group = (struct group *)time_event;

  if(group == last_group) {
    last_group = NULL; /* it takes no more radios */
  }
  for(uint32_t i = 0; i < group->count; i++) {
    measure(simulation, group->radios[i]);
  }
  group->next_free = free_groups;
  free_groups = group;
}

void
byte_radio_hear(struct simulation *simulation, struct mote *mote, double dbm)
{
  struct byte_radio *radio = mote->radio.bytes;

  if(dbm == radio->signal) {
    return;
  }
  radio->signal = dbm;
  if(radio->to_measure == 0) {
    queue_measurement(simulation, radio, simulation->queue.now);
  }
  radio->to_measure = MEASURED;
}

/* ---- what it receives ---- */

static void
deliver(struct simulation *simulation, struct time_event *time_event)
{
  struct byte_event *event = (struct byte_event *)time_event;
  struct mote *mote = event->mote;

  if(event->removals == mote->removals) {
    mote->radio.bytes->chip->catch_up(simulation, mote);
    mote->radio.bytes->chip->receive(mote, event->byte);
    queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  }
  event->next_free = free_events;
  free_events = event;
}

static void
deliver_at(struct simulation *simulation, struct mote *mote, uint8_t byte, int64_t time)
{
  struct byte_event *event = free_events;

  if(event != NULL) {
    free_events = event->next_free;
  } else {
    event = allocate(1, sizeof(*event));
  }
  event->mote = mote;
  event->removals = mote->removals;
  event->byte = mote->radio.interfered ? NOISE : byte;
  time_event_insert(&simulation->queue, &event->time_event, deliver, time);
}

void
byte_radio_receive(struct simulation *simulation, struct mote *mote, uint8_t byte)
{
  const struct byte_radio *radio = mote->radio.bytes;

  if(radio->bit_errors && !mote->radio.interfered) {
    byte = bit_errors_pass(&simulation->random, radio->signal, byte);
  }
  deliver_at(simulation, mote, byte, simulation->queue.now);
}

void
byte_radio_receive_frame(struct simulation *simulation, struct mote *mote, const struct packet *packet)
{
  int64_t time = simulation->queue.now;

  if(!mote->radio.bytes->chip->listens(mote)) {
    return;
  }
  if(packet->size > LONGEST_FRAME) {
    watch_mote_fault(mote, "a frame of more than 127 bytes reaches its CC2420, at which Cooja stops");
  }
  for(int i = 0; i < SYNCHRONIZATION; i++, time += BYTE_US) {
    deliver_at(simulation, mote, HEADER[i], time);
  }
  deliver_at(simulation, mote, (uint8_t)packet->size, time);
  for(uint32_t i = 0; i < packet->size; i++) {
    time += BYTE_US;
    deliver_at(simulation, mote, packet->bytes[i], time);
  }
  mote->radio.bytes->comes_until = time;
}

bool
byte_radio_takes(const struct simulation *simulation, const struct mote *mote)
{
  const struct byte_radio *radio = mote->radio.bytes;

  if(radio->comes_until > simulation->queue.now) {
    return radio->chip->listens(mote) || radio->chip->follows(mote, false); /* it has heard a part of the header, or more */
  }
  return radio->chip->follows(mote, true);
}

void
byte_radio_end(struct simulation *simulation, struct mote *mote)
{
  if(observer != NULL) {
    observe_reception(mote, mote->radio.receiving && !mote->radio.interfered && byte_radio_takes(simulation, mote));
  }
  mote->radio.receiving = mote->radio.interfered = false;
  medium_reception_finished(simulation, mote);
  power_tracker_note(mote);
  observe_state(mote);
}

/* ---- what it sends ---- */

static void
finish(struct simulation *simulation, struct mote *mote)
{
  if(mote->radio.transmitting) {
    mote->radio.transmitting = false;
    observe_outgoing_end(mote);
    if(observer != NULL) {
      observe_sent(mote, connection_from(mote) != NULL);
    }
    observe_state(mote);
    medium_transmission_finished(simulation, mote);
    power_tracker_note(mote);
  }
}

/* The whole frame is known now, for radios that take no bytes. */
static void
send_frame(struct simulation *simulation, struct mote *mote)
{
  const struct outgoing *outgoing = &mote->radio.bytes->outgoing;
  struct packet *packet = allocate(1, sizeof(*packet) + outgoing->size);

  packet->holders = 1;
  packet->size = outgoing->size;
  packet->number = observed_frame(mote);
  memcpy(packet->bytes, outgoing->bytes + HEADER_SIZE, outgoing->size);
  if(simulation->sent != NULL) {
    simulation->sent(simulation, mote, mote->radio.bytes->began_us, packet);
  }
  medium_frame_sent(simulation, mote, packet);
  if(--packet->holders == 0) {
    free(packet);
  }
}

void
byte_radio_send(struct simulation *simulation, struct mote *mote, uint8_t byte)
{
  struct outgoing *outgoing = &mote->radio.bytes->outgoing;

  if(!mote->radio.transmitting) {
    mote->radio.transmitting = true;
    outgoing->sent = outgoing->size = 0;
    outgoing->synchronized = outgoing->whole = false;
    mote->radio.bytes->began_us = simulation->queue.now;
    observe_outgoing(mote, outgoing);
    medium_transmission_started(simulation, mote, NULL);
    observe_starting(0);
  }
  medium_byte_sent(simulation, mote, byte);
  power_tracker_note(mote);
  if(outgoing->sent < sizeof(outgoing->bytes)) {
    outgoing->bytes[outgoing->sent] = byte;
  }
  outgoing->sent++;
  if(outgoing->sent == SYNCHRONIZATION) {
    outgoing->synchronized = memcmp(outgoing->bytes, HEADER, SYNCHRONIZATION) == 0;
  } else if(outgoing->sent == HEADER_SIZE) {
    outgoing->size = byte;
  }
  if((outgoing->size & TOO_LONG) == 0 && outgoing->sent == outgoing->size + HEADER_SIZE && outgoing->synchronized) {
    outgoing->whole = true;
    send_frame(simulation, mote);
    finish(simulation, mote);
  }
}

void
byte_radio_mode_changed(struct simulation *simulation, struct mote *mote, bool on, bool ready)
{
  mote->radio.on = on;
  observe_state(mote);
  if(ready) {
    medium_radio_changed(simulation, mote);
    power_tracker_note(mote);
    return;
  }
  finish(simulation, mote);
  medium_radio_off(simulation, mote); /* whatever it does instead: it receives no longer what it received */
  power_tracker_note(mote);
}

void
byte_radio_channel_changed(struct simulation *simulation, struct mote *mote, int channel)
{
  mote->radio.seen_channel = channel;
  observe_setting(mote, "channel");
  medium_mark_with_connections(simulation->medium, mote);
  medium_channel_changed(simulation, mote);
  power_tracker_note(mote);
}

void
byte_radio_power_changed(struct simulation *simulation, struct mote *mote, int level)
{
  if(mote->radio.seen_power != level) {
    mote->radio.seen_power = level;
    observe_setting(mote, "power");
    medium_mark_with_connections(simulation->medium, mote);
  }
}

void
byte_radio_init(struct mote *mote, const struct byte_radio_chip *chip)
{
  struct byte_radio *radio = allocate(1, sizeof(*radio));

  radio->chip = chip;
  radio->mote = mote;
  mote->radio.bytes = radio;
  mote->radio.dirty = true; /* the medium looks for no variables of the mote */
  mote->radio.signal = mote->radio.heard_signal = mote->quiet_dbm;
}

void
byte_radios_join(struct simulation *simulation, struct mote *mote)
{
  struct medium *medium = simulation->medium;

  if(mote->radio.bytes == NULL) {
    return;
  }
  if(medium->byte_radios == NULL) {
    medium->byte_radios = allocate(simulation->mote_capacity + 1, sizeof(*medium->byte_radios));
    medium->lists_active = true;
  }
  medium->byte_radios[medium->byte_radio_count++] = mote;
}

void
byte_radios_leave(struct medium *medium, const struct mote *mote)
{
  uint32_t kept = 0;

  observe_outgoing_end(mote);
  for(uint32_t i = 0; i < medium->byte_radio_count; i++) {
    if(medium->byte_radios[i] != mote) {
      medium->byte_radios[kept++] = medium->byte_radios[i];
    }
  }
  medium->byte_radio_count = kept;
}
