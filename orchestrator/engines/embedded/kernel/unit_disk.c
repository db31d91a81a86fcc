/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_disk.h"

#include "connection.h"
#include "exact.h"
#include "memory.h"
#include "neighbours.h"
#include "radio.h"
#include "simulation.h"

#include <limits.h>
#include <math.h>

enum { FULL_POWER = 100 };

void
unit_disk_init(struct simulation *simulation)
{
  struct medium *medium = &simulation->medium;

  medium->by_x = allocate(simulation->mote_room, sizeof(*medium->by_x));
  medium->placement = 1;
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    if(mote_has(&simulation->motes[i], WITH_ContikiRadio)) {
      unit_disk_join(medium, &simulation->motes[i]);
    }
  }
}

void
unit_disk_join(struct medium *medium, struct mote *mote)
{
  medium->by_x[medium->radio_count++] = mote;
}

void
unit_disk_leave(struct medium *medium, struct mote *mote)
{
  uint32_t kept = 0;

  for(uint32_t i = 0; i < medium->radio_count; i++) {
    if(medium->by_x[i] != mote) {
      medium->by_x[kept++] = medium->by_x[i];
    }
  }
  medium->radio_count = kept;
}

/* A range at the source's power. */
static double
scaled(double range, const struct mote *source)
{
  return range * ((double)source->radio.seen_power / (double)FULL_POWER);
}

/* It falls linearly from strong at the source to weak at the range. */
int
unit_disk_strength(double distance, double range, bool *beyond)
{
  double fraction = distance / range, strength = STRONG_DBM + fraction * (WEAK_DBM - STRONG_DBM);

  *beyond = !(fraction < 1);
  return isnan(strength) ? INT_MIN : to_int(strength);
}

void
unit_disk_repower(const struct medium *medium, struct connection *connection)
{
  double range = scaled(medium->transmission_range, connection->source);

  for(uint32_t i = 0; i < connection->count; i++) {
    struct member *member = &connection->members[i];
    member->signal = unit_disk_strength(member->distance, range, &member->beyond);
  }
}

void
unit_disk_move(const struct medium *medium, struct mote *mote)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    struct connection *connection = mote->radio.links[i].connection;
    for(uint32_t member = 0; member < connection->count; member++) {
      connection->members[member].distance = neighbours_distance(connection->source, connection->members[member].mote);
    }
    unit_disk_repower(medium, connection);
  }
}

void
unit_disk_update(const struct medium *medium, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int signal = medium_base_signal(mote);
  bool any_interfered = false;

  (void)medium;
  for(uint32_t i = 0; i < radio->link_count; i++) {
    const struct link *link = &radio->links[i];
    const struct member *member;
    if(link->member == SOURCE) {
      signal = signal < STRONG_DBM ? STRONG_DBM : signal;
      continue;
    }
    member = &link->connection->members[link->member];
    if(member->interfered) {
      any_interfered = true;
    } else if(member->destination && !channels_differ(link->connection->source, mote)) {
      signal = signal < member->signal ? member->signal : signal;
    }
  }
  for(uint32_t i = 0; any_interfered && i < radio->link_count; i++) {
    const struct link *link = &radio->links[i];
    const struct member *member = link->member == SOURCE ? NULL : &link->connection->members[link->member];
    if(member != NULL && member->interfered && !channels_differ(link->connection->source, mote)) {
      /* Beyond the range Cooja sets the weak signal even where a stronger one was. */
      signal = member->beyond ? WEAK_DBM : signal < member->signal ? member->signal : signal;
      radio->interfered = true;
    }
  }
  radio->signal = signal;
  ABI(mote, simSignalStrength) = signal;
}

static void
add(struct connection *connection, struct mote *mote, const struct neighbour *neighbour, bool destination)
{
  connection_add(connection, (struct member){
    .mote = mote, .distance = neighbour->distance, .signal = neighbour->signal, .beyond = neighbour->beyond,
    .destination = destination, .interfered = !destination,
  });
}

/* Cooja's order of questions decides which random numbers are drawn. */
static void
reach(struct simulation *simulation, struct connection *connection, struct mote *receiver,
      const struct neighbour *neighbour, double probability)
{
  struct medium *medium = &simulation->medium;
  struct radio *radio = &receiver->radio;

  if(!radio->on) {
    add(connection, receiver, neighbour, false);
    radio->interfered = true;
  } else if(radio->interfered) {
    add(connection, receiver, neighbour, false);
  } else if(radio->transmitting) {
    add(connection, receiver, neighbour, false);
    radio->interfered = medium->rules_2026_07;
  } else if(radio_receiving(receiver) || java_random_double(&simulation->random) > probability) {
    add(connection, receiver, neighbour, false);
    radio->interfered = true;
    connection_interfere_all(receiver);
  } else {
    add(connection, receiver, neighbour, true);
  }
}

struct connection *
unit_disk_connect(struct simulation *simulation, struct mote *source, reception_probability *probability)
{
  struct medium *medium = &simulation->medium;
  double transmission_range = scaled(medium->transmission_range, source);
  double interference_range = scaled(medium->interference_range, source);
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
      add(connection, receiver, neighbour, false); /* dormant until the channels agree */
    } else if(neighbour->distance <= transmission_range) {
      reach(simulation, connection, receiver, neighbour, probability(medium, neighbour->distance, transmission_range));
    } else if(neighbour->distance <= interference_range) {
      add(connection, receiver, neighbour, false);
      receiver->radio.interfered = true;
    }
  }
  if(source->radio.seen_power != FULL_POWER) {
    unit_disk_repower(medium, connection);
  }
  return connection;
}

/* Falls with the square of the distance, from 1 at the source to the ratio at the range. */
static double
falling(const struct medium *medium, double distance, double range)
{
  double ratio;

  if(medium->reception_ratio == 1 && range > 0) { /* a division less in the usual case */
    return 1;
  }
  ratio = distance * distance / (range * range);
  return range == 0 || ratio > 1 ? 0 : 1 - ratio * (1 - medium->reception_ratio);
}

static struct connection *
connect_falling(struct simulation *simulation, struct mote *source)
{
  return unit_disk_connect(simulation, source, falling);
}

const struct medium_rules unit_disk = {unit_disk_init, connect_falling, unit_disk_update, false, unit_disk_join, unit_disk_leave,
                                       unit_disk_move, unit_disk_repower};
