/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/unit_disk.h"

#include "base/exact.h"
#include "base/memory.h"
#include "motes/simulation.h"
#include "observation/observer.h"
#include "radio/byte_radio.h"
#include "radio/connection.h"
#include "radio/neighbours.h"
#include "radio/radio.h"

#include <math.h>

void
unit_disk_init(struct simulation *simulation)
{
  struct medium *medium = simulation->medium;

  medium->by_x = allocate(simulation->mote_capacity, sizeof(*medium->by_x));
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

/* The range at the source's power. */
static double
scaled(double range, const struct mote *source)
{
  return range * medium_power(source);
}

static void
set_strength(const struct medium *medium, const struct mote *source, struct member *member)
{
  member->signal = neighbours_strength(member->distance, scaled(medium->transmission_range, source), &member->beyond);
}

void
unit_disk_work_out(const struct medium *medium, struct connection *connection)
{
  for(uint32_t i = 0; i < connection->count; i++) {
    connection->members[i].distance = neighbours_distance(connection->source, connection->members[i].mote);
    set_strength(medium, connection->source, &connection->members[i]);
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
      medium_interfere(mote);
    }
  }
  medium_set_signal(mote, signal);
}

/* The strength at a radio of an emulated board, which isn't cut to whole dBm. */
static double
exact_strength(double distance, double range)
{
  return STRONG_DBM + distance / range * (WEAK_DBM - STRONG_DBM);
}

void
unit_disk_update_bytes(struct simulation *simulation)
{
  const struct medium *medium = simulation->medium;

  byte_radios_quiet(simulation);
  for(const struct connection *connection = medium->first; connection != NULL; connection = connection->later) {
    double range = scaled(medium->transmission_range, connection->source);
    byte_radio_raise(simulation, connection->source, STRONG_DBM);
    for(uint32_t i = 0; i < connection->count; i++) {
      const struct member *member = &connection->members[i];
      if(member->undisturbed && !channels_differ(connection->source, member->mote)) {
        byte_radio_raise(simulation, member->mote, exact_strength(member->distance, range));
      }
    }
  }
  for(const struct connection *connection = medium->first; connection != NULL; connection = connection->later) {
    double range = scaled(medium->transmission_range, connection->source);
    for(uint32_t i = 0; i < connection->interfered_count; i++) {
      const struct member *member = &connection->members[connection->interfered[i]];
      if(member->mote->radio.bytes == NULL || channels_differ(connection->source, member->mote)) {
        continue;
      }
      if(member->distance / range < 1) {
        byte_radio_raise(simulation, member->mote, exact_strength(member->distance, range));
      } else {
        byte_radio_hear(simulation, member->mote, WEAK_DBM);
      }
      if(!member->mote->radio.interfered) {
        medium_interfere(member->mote);
      }
    }
  }
}

/* Draws whether the frame is received. */
static inline bool
gets_through(struct simulation *simulation, double distance, double range, reception_probability *probability)
{
  if(probability == NULL) {
    java_random_skip_double(&simulation->random);
    return true;
  }
  return !(java_random_double(&simulation->random) > probability(simulation->medium, distance, range));
}

/* Does the radio receive the frame? If not, it is interfered, and the update that follows says so (unit_disk_update). The
   order of conditions is Cooja's, because it decides which random numbers are drawn. */
static inline enum fate
receives(struct simulation *simulation, struct mote *receiver, double distance, double range,
         reception_probability *probability)
{
  const struct radio *radio = &receiver->radio;

  if(!radio->on || radio->transmitting || radio->interfered) {
    return !radio->on ? RADIO_OFF : radio->transmitting ? BUSY_SENDING : COLLIDED;
  }
  if(!radio->receiving && gets_through(simulation, distance, range, probability)) {
    return RECEIVED;
  }
  connection_interfere_all(receiver, COLLIDED);
  return radio->receiving ? COLLIDED : LOST_BY_CHANCE;
}

/* Nearly always, a radio that the frame reaches hears this transmission only. */
static inline void
begin(struct simulation *simulation, struct connection *connection, struct mote *mote, const struct neighbour *neighbour,
      enum fate fate, struct packet *packet)
{
  bool destination = fate == RECEIVED;
  struct member *member = connection_add(connection, mote, fate, !destination);

  member->distance = neighbour->distance;
  member->delay = 0;
  member->signal = neighbour->signal;
  member->beyond = neighbour->beyond;
  if(connection->source->radio.seen_power != connection->source->radio.full_power) {
    set_strength(simulation->medium, connection->source, member);
  }
  if(destination && radio_reception_start(simulation, mote, packet)) {
    if(mote->radio.link_count == 1) {
      medium_set_signal(mote, member->signal < mote->quiet_dbm ? mote->quiet_dbm : member->signal);
      if(radio_hear_without_tick(simulation, mote)) {
        return;
      }
    }
    queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  }
  if(!destination || mote->radio.link_count != 1) {
    unit_disk_update(simulation->medium, mote);
    if((fate == RADIO_OFF || fate == BEYOND) && !channels_differ(connection->source, mote)) {
      medium_interfere_anyhow(mote);
    }
    observe_state(mote);
  }
}

void
unit_disk_connect(struct simulation *simulation, struct mote *source, struct packet *packet, reception_probability *probability)
{
  struct medium *medium = simulation->medium;
  double transmission_range = scaled(medium->transmission_range, source);
  double interference_range = scaled(medium->interference_range, source);
  struct connection *connection;

  if(medium->transmission_ratio < 1 && java_random_double(&simulation->random) > medium->transmission_ratio) {
    neighbours_of_lost(simulation, source);
    connection_new(medium, source, 0)->lost = true;
    return;
  }
  if(medium->reception_ratio == 1 && transmission_range > 0) { /* reception is certain, but a number is drawn nevertheless */
    probability = NULL;
  }
  neighbours_find(simulation, source);
  connection = connection_new(medium, source, source->radio.neighbour_count);
  for(uint32_t i = 0; i < source->radio.neighbour_count; i++) {
    const struct neighbour *neighbour = &source->radio.neighbours[i];
    struct mote *receiver = &simulation->motes[neighbour->mote];
    enum fate fate = BEYOND;
    if(channels_differ(source, receiver)) { /* dormant until the channels agree */
      if(neighbour->distance <= transmission_range) {
        fate = receiver->radio.on ? WRONG_CHANNEL : RADIO_OFF;
      }
    } else if(neighbour->distance <= transmission_range) {
      fate = receives(simulation, receiver, neighbour->distance, transmission_range, probability);
    } else if(neighbour->distance > interference_range) {
      continue;
    }
    begin(simulation, connection, receiver, neighbour, fate, packet);
  }
}

/* The probability decreases with the square of the distance, from 1 at the source to the ratio at the range. */
static double
falling(const struct medium *medium, double distance, double range)
{
  double ratio = distance * distance / (range * range);

  return range == 0 ? 0 : 1 - ratio * (1 - medium->reception_ratio);
}

static void
connect_falling(struct simulation *simulation, struct mote *source, struct packet *packet)
{
  unit_disk_connect(simulation, source, packet, falling);
}

static const struct medium_rules unit_disk = {.name = "udgm", .placed = true, .init = unit_disk_init, .connect =
                                              connect_falling, .update = unit_disk_update, .update_bytes = unit_disk_update_bytes, .join = unit_disk_join, .leave =
                                              unit_disk_leave, .work_out = unit_disk_work_out};
MEDIUM(unit_disk)
