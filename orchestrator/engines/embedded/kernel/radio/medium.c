/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/medium.h"

#include "base/memory.h"
#include "observation/observer.h"
#include "radio/byte_radio.h"
#include "radio/connection.h"
#include "radio/fates.h"
#include "radio/radio.h"

struct known_medium *known_media;

enum delivered { START, FRAME, END, BYTE };

struct delivery { /* something that a radio at the end of an edge with a delay notices later */
  struct time_event time_event; /* first member */
  enum delivered what;
  struct mote *mote;
  struct packet *packet; /* of a FRAME */
  uint64_t number;       /* of the frame whose START or END this is, in the record */
  uint8_t byte;          /* of a BYTE */
  struct delivery *next_free;
};

void
medium_init(struct simulation *simulation)
{
  struct medium *medium = simulation->medium;

  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    simulation->motes[i].registered = medium->registrations++;
  }
  medium->changed = allocate(simulation->mote_capacity + 1, sizeof(*medium->changed));
  medium->rules->init(simulation);
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    byte_radios_join(simulation, &simulation->motes[i]);
    if(mote_has(&simulation->motes[i], WITH_ContikiRadio)) {
      medium_mark(medium, &simulation->motes[i]);
    }
  }
  medium_update(simulation);
}

void
medium_mark(struct medium *medium, struct mote *mote)
{
  if(!mote->radio.changed) {
    mote->radio.changed = true;
    medium->changed[medium->changed_count++] = mote;
  }
}

static void
mark_members(struct medium *medium, const struct connection *connection)
{
  for(uint32_t i = 0; i < connection->count; i++) {
    medium_mark(medium, connection->members[i].mote);
  }
}

void
medium_mark_with_connections(struct medium *medium, struct mote *mote)
{
  medium_mark(medium, mote);
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    if(mote->radio.links[i].member == SOURCE) {
      if(medium->rules->work_out != NULL) {
        medium->rules->work_out(medium, mote->radio.links[i].connection);
      }
      mark_members(medium, mote->radio.links[i].connection);
    }
  }
}

/* Computes a radio's new signal strength, and its consequences. */
static inline void
settle(struct simulation *simulation, struct mote *mote)
{
  if(simulation->medium->rules->update_all != NULL) {
    return; /* the current update will compute it anyway */
  }
  if(mote->radio.link_count == 0) { /* the most frequent case, which is the same in every medium */
    medium_set_signal(mote, medium_base_signal(mote));
  } else {
    simulation->medium->radios_seen += mote->radio.link_count;
    simulation->medium->rules->update(simulation->medium, mote);
  }
  observe_state(mote);
}

void
medium_update(struct simulation *simulation)
{
  struct medium *medium = simulation->medium;

  if(medium->rules->update_all != NULL) {
    medium->rules->update_all(simulation);
    return;
  }
  for(uint32_t i = 0; i < medium->changed_count; i++) {
    medium->changed[i]->radio.changed = false;
    settle(simulation, medium->changed[i]);
  }
  medium->changed_count = 0;
  if(medium->byte_radio_count > 0) {
    medium->rules->update_bytes(simulation);
  }
}

/* A radio that is switched off, prepares to send, or is gone receives nothing more. */
static void
end_receptions(struct simulation *simulation, struct mote *mote)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    struct link *link = &mote->radio.links[i];
    if(is_destination(link)) {
      connection_interfere(link->connection, link->member, mote->radio.on && !mote->removed ? BUSY_SENDING : RADIO_OFF);
      medium_interfere(mote);
    }
  }
  medium_mark(simulation->medium, mote);
  medium_update(simulation);
}

void
medium_radio_off(struct simulation *simulation, struct mote *mote)
{
  if(!mote->removed) {
    end_receptions(simulation, mote);
  }
}

void
medium_radio_changed(struct simulation *simulation, struct mote *mote)
{
  if(!mote->removed) {
    medium_update(simulation);
  }
}

void
medium_join(struct simulation *simulation, struct mote *mote)
{
  struct medium *medium = simulation->medium;

  mote->registered = medium->registrations++;
  medium->placement++;
  if(medium->rules->join != NULL) {
    medium->rules->join(medium, mote);
  }
  byte_radios_join(simulation, mote);
  medium_mark(medium, mote);
  medium_update(simulation);
}

/* A transmission of its own never ends, as in Cooja. */
void
medium_leave(struct simulation *simulation, struct mote *mote)
{
  struct medium *medium = simulation->medium;

  medium->placement++;
  medium_mark_with_connections(medium, mote);
  if(medium->rules->leave != NULL) {
    medium->rules->leave(medium, mote);
  }
  byte_radios_leave(medium, mote);
  end_receptions(simulation, mote);
  if(medium->rules->left != NULL) {
    medium->rules->left(medium, mote);
    medium_mark_with_connections(medium, mote);
  }
}

void
medium_moved(struct simulation *simulation, struct mote *mote)
{
  struct medium *medium = simulation->medium;

  if(medium->rules->work_out != NULL) {
    medium->placement++;
    for(uint32_t i = 0; i < mote->radio.link_count; i++) {
      medium->rules->work_out(medium, mote->radio.links[i].connection);
    }
    medium_mark_with_connections(medium, mote);
  }
}

/* A radio that has just become "not interfered" is interfered again if another transmission reaches it. */
static void
interfere_again(struct mote *mote)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    const struct link *link = &mote->radio.links[i];
    if(link->member != SOURCE && link->connection->members[link->member].interfered &&
       !channels_differ(link->connection->source, mote)) {
      medium_interfere(mote);
    }
  }
}

void
medium_reception_finished(struct simulation *simulation, struct mote *mote)
{
  if(simulation->medium->rules_2026_07 && !mote->removed) {
    interfere_again(mote);
  }
}

void
medium_channel_changed(struct simulation *simulation, struct mote *mote)
{
  if(simulation->medium->rules_2026_07) {
    mote->radio.interfered = false;
  }
  if(mote->removed) {
    return;
  }
  if(simulation->medium->rules_2026_07) {
    for(uint32_t i = 0; i < mote->radio.link_count; i++) {
      struct link *link = &mote->radio.links[i];
      if(link->member != SOURCE && connection_is_any_destination(link->connection, link->member)) {
        connection_interfere(link->connection, link->member, WRONG_CHANNEL);
        medium_interfere(mote);
      }
    }
    interfere_again(mote);
    medium_mark(simulation->medium, mote);
  }
  medium_update(simulation);
}

static void
deliver(struct simulation *simulation, struct mote *mote, enum delivered what, struct packet *packet)
{
  if(what == END) {
    radio_reception_end(simulation, mote);
  } else if(what == FRAME && mote->radio.bytes != NULL) {
    byte_radio_receive_frame(simulation, mote, packet);
  } else if(what == FRAME) {
    radio_take_packet(mote, packet);
  } else if(radio_reception_start(simulation, mote, packet)) {
    queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  }
}

static void
deliver_late(struct simulation *simulation, struct time_event *time_event)
{
  struct delivery *delivery = (struct delivery *)time_event;

  if(delivery->what == END && delivery->number > 0 && observer_wants_fates()) {
    observer_note_late(delivery->mote, delivery->number, fates_at_end(simulation, delivery->mote, delivery->number));
  }
  if(delivery->what == START && delivery->mote->radio.bytes != NULL) { /* others get the frame, which has its number */
    observe_starting(delivery->number);
  }
  if(delivery->what == BYTE) {
    byte_radio_receive(simulation, delivery->mote, delivery->byte);
  } else {
    deliver(simulation, delivery->mote, delivery->what, delivery->packet);
  }
  if(delivery->what == START) {
    observe_starting(0);
  }
  if(delivery->packet != NULL) {
    delivery->packet->holders--; /* the radio holds it now */
  }
  delivery->next_free = simulation->medium->free_deliveries;
  simulation->medium->free_deliveries = delivery;
}

static struct delivery *
deliver_later(struct simulation *simulation, const struct mote *source, const struct member *member, enum delivered what, struct packet *packet)
{
  struct medium *medium = simulation->medium;
  struct delivery *delivery = medium->free_deliveries;

  if(delivery != NULL) {
    medium->free_deliveries = delivery->next_free;
  } else {
    delivery = allocate(1, sizeof(*delivery));
  }
  *delivery = (struct delivery){.what = what, .mote = member->mote, .packet = packet};
  delivery->number = what == START || what == END ? observed_frame(source) : 0;
  if(packet != NULL) {
    packet->holders++;
  }
  time_event_insert(&simulation->queue, &delivery->time_event, deliver_late, simulation->queue.now + member->delay);
  return delivery;
}

/* Delivers to a member, now or later, if it was to receive when the transmission began. */
static void
deliver_to_member(struct simulation *simulation, const struct mote *source, const struct member *member, enum delivered what,
                  struct packet *packet)
{
  if(member->destination && member->delay > 0) {
    deliver_later(simulation, source, member, what, packet);
  } else if(member->destination) {
    deliver(simulation, member->mote, what, packet);
  }
}

static void
deliver_to_all(struct simulation *simulation, const struct connection *connection, enum delivered what, struct packet *packet)
{
  for(uint32_t i = 0; i < connection->count; i++) {
    deliver_to_member(simulation, connection->source, &connection->members[i], what, packet);
  }
}

void
medium_begin(struct simulation *simulation, const struct connection *connection, struct packet *packet)
{
  deliver_to_all(simulation, connection, START, NULL);
  for(uint32_t i = 0; i < connection->count; i++) {
    settle(simulation, connection->members[i].mote);
  }
  if(packet != NULL) {
    deliver_to_all(simulation, connection, FRAME, packet);
  }
}

void
medium_transmission_started(struct simulation *simulation, struct mote *mote, struct packet *packet)
{
  /* If the radio was switched off during its last transmission, that has never ended, and Cooja gives the new frame to the
     radios that hear the old one. */
  struct connection *before = connection_from(mote);
  bool late;

  if(mote->removed) {
    return;
  }
  if(mote->radio.receiving) {
    medium_interfere(mote);
    connection_interfere_all(mote, BUSY_SENDING);
  }
  /* Emulated boards' radios get the frame after they have begun to hear it. */
  late = packet != NULL && (before != NULL || simulation->medium->byte_radio_count > 0);
  simulation->medium->rules->connect(simulation, mote, late ? NULL : packet);
  medium_mark(simulation->medium, mote);
  medium_update(simulation);
  if(late && connection_from(mote) != NULL) {
    deliver_to_all(simulation, connection_from(mote), FRAME, packet);
  }
}

void
medium_byte_sent(struct simulation *simulation, struct mote *mote, uint8_t byte)
{
  const struct connection *connection = mote->removed ? NULL : connection_from(mote);

  for(uint32_t i = 0; connection != NULL && i < connection->count; i++) {
    const struct member *member = &connection->members[i];
    if(member->destination && member->mote->radio.bytes != NULL) {
      if(member->delay == 0) {
        byte_radio_receive(simulation, member->mote, byte);
      } else {
        deliver_later(simulation, mote, member, BYTE, NULL)->byte = byte;
      }
    }
  }
}

void
medium_frame_sent(struct simulation *simulation, struct mote *mote, struct packet *packet)
{
  const struct connection *connection = mote->removed ? NULL : connection_from(mote);

  for(uint32_t i = 0; connection != NULL && i < connection->count; i++) {
    if(connection->members[i].mote->radio.bytes == NULL) {
      deliver_to_member(simulation, mote, &connection->members[i], FRAME, packet);
    }
  }
}

void
medium_transmission_finished(struct simulation *simulation, struct mote *mote)
{
  struct medium *medium = simulation->medium;
  struct connection *connection = connection_from(mote);

  if(connection == NULL || mote->removed) {
    return;
  }
  medium->transmissions++;
  medium->interferences += connection->interfered_count;
  medium->radios_seen += connection->count;
  if(observer_wants_fates()) {
    fates_note(simulation, connection);
  }
  connection_unlink(mote, connection);
  medium_mark(medium, mote);
  connection_end(medium, connection);
  for(uint32_t i = 0; i < connection->count; i++) {
    const struct member *member = &connection->members[i];
    connection_unlink(member->mote, connection);
    deliver_to_member(simulation, mote, member, END, NULL);
    medium->receptions += member->undisturbed;
    if(member->mote->radio.link_count == 0) {
      settle(simulation, member->mote);
    } else { /* after the ends of all receptions, because it may be interfered again */
      medium_mark(medium, member->mote);
    }
  }
  for(uint32_t i = 0; i < connection->interfered_count; i++) {
    const struct member *member = &connection->members[connection->interfered[i]];
    if(member->only_interfered && member->mote->radio.interfered) {
      radio_reception_end(simulation, member->mote);
    }
  }
  medium_update(simulation);
  connection_free(medium, connection);
}

void
medium_transmission_cut(struct simulation *simulation, struct mote *mote)
{
  for(struct connection *connection; !mote->removed && (connection = connection_from(mote)) != NULL;) {
    for(uint32_t i = 0; i < connection->count; i++) {
      if(connection->members[i].undisturbed) {
        connection_interfere(connection, i, CUT_SHORT);
        medium_interfere(connection->members[i].mote);
      }
    }
    medium_transmission_finished(simulation, mote);
  }
}
