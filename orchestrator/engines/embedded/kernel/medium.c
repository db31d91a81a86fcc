/* SPDX-License-Identifier: Apache-2.0 */
#include "medium.h"

#include "connection.h"
#include "exact.h"
#include "memory.h"
#include "neighbours.h"
#include "radio.h"

#include <math.h>

enum { QUIET_DBM = -100, STRONG_DBM = -10, WEAK_DBM = -95, FULL_POWER = 100 };

void
medium_init(struct simulation *simulation)
{
  struct medium *medium = &simulation->medium;

  medium->changed = allocate(simulation->mote_count, sizeof(*medium->changed));
  medium->by_x = allocate(simulation->mote_count, sizeof(*medium->by_x));
  medium->radio_count = neighbours_sort(medium->by_x, simulation->motes, simulation->mote_count);
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
  medium_mark(medium, connection->source);
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
      mark_members(medium, mote->radio.links[i].connection);
    }
  }
}

static bool
channels_differ(const struct mote *a, const struct mote *b)
{
  return a->radio.seen_channel >= 0 && b->radio.seen_channel >= 0 && a->radio.seen_channel != b->radio.seen_channel;
}

/* A range at the source's power. */
static double
scaled(double range, const struct mote *source)
{
  return range * ((double)source->radio.seen_power / (double)FULL_POWER);
}

/* A double to int as Java converts: toward zero, not a number is 0, saturating. */
static int
to_int(double value)
{
  if(isnan(value)) {
    return 0;
  }
  return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int)value;
}

/* Raises `signal` to the strength that falls linearly from strong at the source to weak at the range. */
static int
raise_signal(int signal, double fraction_of_range)
{
  double strength = STRONG_DBM + fraction_of_range * (WEAK_DBM - STRONG_DBM);

  return signal < strength ? to_int(strength) : signal;
}

static double
fraction_of_range(const struct medium *medium, const struct link *link)
{
  const struct connection *connection = link->connection;

  return connection->members[link->member].distance / scaled(medium->transmission_range, connection->source);
}

static void
update_radio(const struct medium *medium, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int signal = QUIET_DBM;

  for(uint32_t i = 0; i < radio->link_count; i++) {
    const struct link *link = &radio->links[i];
    if(link->member == SOURCE) {
      signal = signal < STRONG_DBM ? STRONG_DBM : signal;
    } else if(is_destination(link) && !channels_differ(link->connection->source, mote)) {
      signal = raise_signal(signal, fraction_of_range(medium, link));
    }
  }
  for(uint32_t i = 0; i < radio->link_count; i++) {
    const struct link *link = &radio->links[i];
    if(link->member != SOURCE && link->connection->members[link->member].interfered &&
       !channels_differ(link->connection->source, mote)) {
      double fraction = fraction_of_range(medium, link);
      /* Beyond the range Cooja sets the weak signal even where a stronger one was. */
      signal = fraction < 1 ? raise_signal(signal, fraction) : WEAK_DBM;
      radio->interfered = true;
    }
  }
  radio->signal = signal;
  ABI(mote, simSignalStrength) = signal;
}

void
medium_update(struct simulation *simulation)
{
  struct medium *medium = &simulation->medium;

  for(uint32_t i = 0; i < medium->changed_count; i++) {
    struct mote *mote = medium->changed[i];
    mote->radio.changed = false;
    update_radio(medium, mote);
  }
  medium->changed_count = 0;
}

void
medium_radio_off(struct simulation *simulation, struct mote *mote)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    struct link *link = &mote->radio.links[i];
    if(is_destination(link)) {
      connection_interfere(link->connection, link->member);
      mote->radio.interfered = true;
    }
  }
  medium_mark(&simulation->medium, mote);
  medium_update(simulation);
}

/* A radio that has just reverted to "not interfered" is interfered still if another transmission reaches it. */
static void
interfere_again(struct mote *mote)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    const struct link *link = &mote->radio.links[i];
    if(link->member != SOURCE && link->connection->members[link->member].interfered &&
       !channels_differ(link->connection->source, mote)) {
      mote->radio.interfered = true;
      return;
    }
  }
}

void
medium_reception_finished(struct simulation *simulation, struct mote *mote)
{
  if(simulation->medium.rules_2026_07) {
    interfere_again(mote);
  }
}

void
medium_channel_changed(struct simulation *simulation, struct mote *mote)
{
  if(simulation->medium.rules_2026_07) {
    mote->radio.interfered = false;
    for(uint32_t i = 0; i < mote->radio.link_count; i++) {
      struct link *link = &mote->radio.links[i];
      if(link->member != SOURCE && link->connection->members[link->member].destination) {
        connection_interfere(link->connection, link->member);
        mote->radio.interfered = true;
      }
    }
    interfere_again(mote);
    medium_mark(&simulation->medium, mote);
  }
  medium_update(simulation);
}

/* Cooja's order of questions decides which random numbers are drawn. */
static void
reach(struct simulation *simulation, struct connection *connection, struct mote *receiver, double distance)
{
  struct medium *medium = &simulation->medium;
  struct radio *radio = &receiver->radio;
  double range = scaled(medium->transmission_range, connection->source);
  double ratio = distance * distance / (range * range);
  double probability = range == 0 || ratio > 1 ? 0 : 1 - ratio * (1 - medium->reception_ratio);

  if(!radio->on) {
    connection_add(connection, receiver, distance, false);
    radio->interfered = true;
  } else if(radio->interfered) {
    connection_add(connection, receiver, distance, false);
  } else if(radio->transmitting) {
    connection_add(connection, receiver, distance, false);
    radio->interfered = medium->rules_2026_07;
  } else if(radio_receiving(receiver) || java_random_double(&simulation->random) > probability) {
    connection_add(connection, receiver, distance, false);
    radio->interfered = true;
    connection_interfere_all(receiver);
  } else {
    connection_add(connection, receiver, distance, true);
  }
}

static struct connection *
connect(struct simulation *simulation, struct mote *source)
{
  struct medium *medium = &simulation->medium;
  struct connection *connection;

  if(medium->transmission_ratio < 1 && java_random_double(&simulation->random) > medium->transmission_ratio) {
    return connection_new(medium, source, 0);
  }
  neighbours_find(simulation, source);
  connection = connection_new(medium, source, source->radio.neighbour_count);
  for(uint32_t i = 0; i < source->radio.neighbour_count; i++) {
    const struct neighbour *neighbour = &source->radio.neighbours[i];
    struct mote *receiver = &simulation->motes[neighbour->mote];
    if(channels_differ(source, receiver)) {
      connection_add(connection, receiver, neighbour->distance, false); /* dormant until the channels agree */
    } else if(neighbour->distance <= scaled(medium->transmission_range, source)) {
      reach(simulation, connection, receiver, neighbour->distance);
    } else if(neighbour->distance <= scaled(medium->interference_range, source)) {
      connection_add(connection, receiver, neighbour->distance, false);
      receiver->radio.interfered = true;
    }
  }
  return connection;
}

void
medium_transmission_started(struct simulation *simulation, struct mote *mote)
{
  struct connection *connection;

  if(radio_receiving(mote)) {
    mote->radio.interfered = true;
    connection_interfere_all(mote);
  }
  connection = connect(simulation, mote);
  connection_link(connection);
  mark_members(&simulation->medium, connection);
  for(uint32_t i = 0; i < connection->count; i++) {
    if(connection->members[i].destination) {
      radio_reception_start(simulation, connection->members[i].mote);
    }
  }
  medium_update(simulation);
}

void
medium_deliver(struct simulation *simulation, struct mote *mote, struct packet *packet)
{
  struct connection *connection = connection_from(mote);

  (void)simulation;
  for(uint32_t i = 0; i < connection->count; i++) {
    if(connection->members[i].destination) {
      radio_take_packet(connection->members[i].mote, packet);
    }
  }
}

void
medium_transmission_finished(struct simulation *simulation, struct mote *mote)
{
  struct medium *medium = &simulation->medium;
  struct connection *connection = connection_from(mote);

  if(connection == NULL) {
    return;
  }
  connection_unlink(connection);
  mark_members(medium, connection);
  medium->transmissions++;
  for(uint32_t i = 0; i < connection->count; i++) {
    const struct member *member = &connection->members[i];
    if(member->destination) {
      medium->receptions += !member->interfered;
      radio_reception_end(simulation, member->mote);
    }
  }
  medium->interferences += connection->interfered_count;
  for(uint32_t i = 0; i < connection->interfered_count; i++) {
    struct mote *member = connection->members[connection->interfered[i]].mote;
    if(member->radio.interfered) {
      radio_reception_end(simulation, member);
    }
  }
  medium_update(simulation);
  connection_free(medium, connection);
}
