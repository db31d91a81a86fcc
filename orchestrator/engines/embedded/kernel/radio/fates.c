/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/fates.h"

#include "observation/observer.h"
#include "radio/byte_radio.h"
#include "radio/connection.h"

enum fate
fates_at_end(const struct simulation *simulation, const struct mote *mote, uint64_t number)
{
  const struct radio *radio = &mote->radio;
  bool undisturbed = radio->receiving && !radio->interfered, here;

  if(observer_knows_partly(number)) {
    return undisturbed ? CUT_SHORT : radio->on ? COLLIDED : RADIO_OFF;
  }
  if(radio->bytes != NULL && undisturbed && observer_hears(mote, number)) {
    return byte_radio_takes(simulation, mote) ? RECEIVED : MISSED;
  }
  here = radio->packet != NULL && radio->packet->number == number;
  return observer_knows_received(mote, number) || (undisturbed && here) ? RECEIVED : radio->on ? COLLIDED : RADIO_OFF;
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
  double range = simulation->medium->transmission_range * medium_power(source);
  uint32_t count = 0;

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

/* Whether a radio has its place in the list of fates, but for one that missed the frame. */
static bool
is_listed(const struct connection *connection, const struct member *member)
{
  return member->fate != BEYOND && !member->again && !is_late(connection, member);
}

static enum fate
fate_of(const struct simulation *simulation, const struct connection *connection, const struct member *member)
{
  enum fate fate = fates_at_end(simulation, member->mote, observed_frame(connection->source));

  return member->undisturbed || fate == RECEIVED ? fate : (enum fate)member->fate;
}

/* Counts, or notes, the radios that missed the frame. */
static uint32_t
missed(const struct simulation *simulation, const struct connection *connection, bool note)
{
  uint32_t count = 0;

  for(uint32_t i = 0; simulation->medium->byte_radio_count > 0 && i < connection->count; i++) {
    const struct member *member = &connection->members[i];
    if(member->mote->radio.bytes != NULL && is_listed(connection, member) && fate_of(simulation, connection, member) == MISSED) {
      count++;
      if(note) {
        observer_note_late(member->mote, observed_frame(connection->source), MISSED);
      }
    }
  }
  return count;
}

void
fates_note(struct simulation *simulation, const struct connection *connection)
{
  uint32_t count = connection->lost ? lost(simulation, connection->source, false) : 0, beyond = 0;

  for(uint32_t i = 0; i < connection->count; i++) {
    beyond += connection->members[i].fate == BEYOND;
    count += is_listed(connection, &connection->members[i]);
  }
  observer_begin_fates(connection->source, beyond, count - missed(simulation, connection, false));
  for(uint32_t i = 0; i < connection->count; i++) {
    const struct member *member = &connection->members[i];
    if(is_listed(connection, member)) {
      enum fate fate = fate_of(simulation, connection, member);
      if(fate != MISSED) {
        observer_add_fate(member->mote, fate);
      }
    }
  }
  if(connection->lost) {
    lost(simulation, connection->source, true);
  }
  missed(simulation, connection, true);
}
