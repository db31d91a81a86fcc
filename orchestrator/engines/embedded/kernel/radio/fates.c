/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/fates.h"

#include "radio/neighbours.h"

/* What becomes of a frame at a radio that it has reached to its end. */
static enum fate
fate_at_end(const struct mote *mote)
{
  const struct radio *radio = &mote->radio;

  return !radio->on ? RADIO_OFF : radio->receiving && !radio->interfered && radio->packet != NULL ? RECEIVED : COLLIDED;
}

/* A reception that ends later. */
static bool
is_late(const struct connection *connection, const struct member *member)
{
  if(member->destination) {
    return member->delay > 0;
  }
  for(uint32_t i = 0; connection->repeats && i < connection->count; i++) {
    const struct member *again = &connection->members[i];
    if(again->again && again->mote == member->mote && again->delay > 0) {
      return true;
    }
  }
  return false;
}

/* A frame that the medium lost for all reached no radio: counts, or notes, those that would have heard it. */
static uint32_t
lost(struct simulation *simulation, struct mote *source, bool note)
{
  struct medium *medium = simulation->medium;
  double range = medium->transmission_range * ((double)source->radio.seen_power / (double)FULL_POWER);
  uint64_t seen = medium->radios_seen;
  uint32_t count = 0;

  neighbours_find(simulation, source);
  medium->radios_seen = seen; /* the record is no work of the medium */
  for(uint32_t i = 0; i < source->radio.neighbour_count; i++) {
    const struct neighbour *neighbour = &source->radio.neighbours[i];
    const struct mote *mote = &simulation->motes[neighbour->mote];
    if(neighbour->distance > range) {
      continue;
    }
    count++;
    if(note) {
      observer_add_fate(mote, !mote->radio.on ? RADIO_OFF : channels_differ(source, mote) ? WRONG_CHANNEL : LOST_BY_CHANCE);
    }
  }
  return count;
}

void
fates_note(struct simulation *simulation, const struct connection *connection)
{
  uint32_t count = connection->lost ? lost(simulation, connection->source, false) : 0;

  for(uint32_t i = 0; i < connection->count; i++) {
    count += !connection->members[i].again && !is_late(connection, &connection->members[i]);
  }
  observer_begin_fates(connection->source, count);
  for(uint32_t i = 0; i < connection->count; i++) {
    const struct member *member = &connection->members[i];
    if(!member->again && !is_late(connection, member)) {
      observer_add_fate(member->mote, member->undisturbed ? fate_at_end(member->mote) : (enum fate)member->fate);
    }
  }
  if(connection->lost) {
    lost(simulation, connection->source, true);
  }
}

void
fates_note_late(const struct mote *mote, uint64_t number)
{
  if(observer_wants_fates() && number > 0) {
    observer_note_late(mote, number, fate_at_end(mote));
  }
}
