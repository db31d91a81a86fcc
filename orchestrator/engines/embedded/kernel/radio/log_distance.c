/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A medium that Cooja doesn't have, for labs that were measured: the signal falls with the logarithm of the distance, each
 * link is shadowed by a normal number of its own (dB) for the whole run, each direction by another one, and the chance of
 * reception is a logistic function of the signal. A frame that is stronger than all others by the capture ratio is received
 * in spite of them, also if it comes last.
 */
#include "base/exact.h"
#include "base/memory.h"
#include "motes/simulation.h"
#include "observation/observer.h"
#include "radio/byte_radio.h"
#include "radio/connection.h"
#include "radio/neighbours.h"
#include "radio/radio.h"
#include "radio/unit_disk.h"

struct log_distance {
  double reference;   /* dBm, at 1 m from a sender at full power */
  double exponent;    /* of the path loss */
  double shadowing;   /* its standard deviation, dB: the same in both directions of a link */
  double asymmetry;   /* dB: of each direction alone */
  double sensitivity; /* dBm: half of the frames are received */
  double width;       /* dB: of the logistic function; 0: all frames or none */
  double capture;     /* dB */
  int64_t seed;       /* of the run */
};

static const double LEAST_DISTANCE = 0.01; /* m, of motes at one place */
static const double MOST_DB = 1000;

/* A normal number of two motes, for ever the same in runs of one seed. */
static double
drawn_for(int64_t seed, int first, int second, bool directed)
{
  struct java_random random;
  uint64_t mixed = (uint64_t)seed;

  /* The finalizer of SplitMix64 (Steele, Lea and Flood, 2014) after each part, so that neighbouring ids have nothing in common. */
  for(int part = 0; part < 3; part++) {
    mixed += UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)(uint32_t)(part == 0 ? first : part == 1 ? second : directed);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    mixed ^= mixed >> 31;
  }
  java_random_seed(&random, (int64_t)mixed);
  return java_random_gaussian(&random);
}

/* The signal (dBm) of a source at a receiver. */
static double
strength(const struct log_distance *model, const struct mote *source, const struct mote *receiver)
{
  double distance = neighbours_distance(source, receiver), signal;
  double power = medium_power(source);
  int low = source->id < receiver->id ? source->id : receiver->id, high = source->id + receiver->id - low;

  distance = distance < LEAST_DISTANCE ? LEAST_DISTANCE : distance;
  signal = model->reference - 10 * model->exponent * (double)log10l(distance / power);
  if(model->shadowing > 0) {
    signal += model->shadowing * drawn_for(model->seed, low, high, false);
  }
  if(model->asymmetry > 0) {
    signal += model->asymmetry * drawn_for(model->seed, source->id, receiver->id, true);
  }
  return signal;
}

/* The chance of reception where nobody else sends. */
static double
chance(const struct log_distance *model, double signal)
{
  double above = signal - model->sensitivity;

  return model->width > 0 ? 1.0 / (1.0 + (double)expl(-above / model->width)) : above >= 0;
}

/* The signal of the strongest other transmission that the radio hears; -infinity: there is none. */
static double
strongest_other(const struct mote *mote)
{
  double strongest = -INFINITY;

  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    const struct link *link = &mote->radio.links[i];
    if(link->member != SOURCE && !channels_differ(link->connection->source, mote)) {
      strongest = fmax(strongest, link->connection->members[link->member].dbm);
    }
  }
  return strongest;
}

/* The frame that the radio receives is lost if the new one comes too near to its strength. */
static void
disturb(const struct log_distance *model, struct mote *mote, double signal)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    struct link *link = &mote->radio.links[i];
    if(is_destination(link) && link->connection->members[link->member].dbm - signal < model->capture) {
      connection_interfere(link->connection, link->member, COLLIDED);
      medium_interfere(mote);
    }
  }
}

/* The radio gives up what it receives, for a stronger frame. */
static void
give_up(struct mote *mote)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    struct link *link = &mote->radio.links[i];
    if(link->member != SOURCE) {
      struct member *member = &link->connection->members[link->member];
      member->fate = member->destination && member->fate == RECEIVED ? COLLIDED : member->fate;
      member->destination = member->undisturbed = member->interfered = member->only_interfered = false;
    }
  }
  if(mote->radio.receiving) {
    observe_reception(mote, false);
  }
  mote->radio.receiving = mote->radio.interfered = false;
}

static enum fate
receives(struct simulation *simulation, const struct mote *source, struct mote *receiver, double signal)
{
  const struct log_distance *model = simulation->medium->own;
  bool gets_through = java_random_double(&simulation->random) < chance(model, signal);
  double other;

  if(channels_differ(source, receiver) || !receiver->radio.on || receiver->radio.transmitting) {
    return !receiver->radio.on ? RADIO_OFF : receiver->radio.transmitting ? BUSY_SENDING : WRONG_CHANNEL;
  }
  other = strongest_other(receiver);
  disturb(model, receiver, signal);
  if(!gets_through) {
    return signal < model->sensitivity ? BELOW_SENSITIVITY : LOST_BY_CHANCE;
  }
  if(signal - other < model->capture) {
    return COLLIDED;
  }
  give_up(receiver);
  return RECEIVED;
}

static void
connect(struct simulation *simulation, struct mote *source, struct packet *packet)
{
  struct medium *medium = simulation->medium;
  struct connection *connection;

  neighbours_find(simulation, source);
  connection = connection_new(medium, source, source->radio.neighbour_count);
  for(uint32_t i = 0; i < source->radio.neighbour_count; i++) {
    struct mote *receiver = &simulation->motes[source->radio.neighbours[i].mote];
    double signal = strength(medium->own, source, receiver);
    struct member *member = connection_add(connection, receiver, receives(simulation, source, receiver, signal), false);
    member->dbm = signal;
    member->delay = 0;
  }
  medium_begin(simulation, connection, packet);
}

static void
update(const struct medium *medium, struct mote *mote)
{
  int signal = medium_base_signal(mote);

  (void)medium;
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    const struct link *link = &mote->radio.links[i];
    int heard = QUIET_DBM;
    if(link->member == SOURCE) {
      heard = STRONG_DBM;
    } else if(!channels_differ(link->connection->source, mote)) {
      heard = to_int(link->connection->members[link->member].dbm);
    }
    signal = signal < heard ? heard : signal;
  }
  medium_set_signal(mote, signal);
}

static void
update_bytes(struct simulation *simulation)
{
  byte_radios_quiet(simulation);
  for(const struct connection *connection = simulation->medium->first; connection != NULL; connection = connection->later) {
    byte_radio_raise(simulation, connection->source, STRONG_DBM);
    for(uint32_t i = 0; i < connection->count; i++) {
      const struct member *member = &connection->members[i];
      if(!channels_differ(connection->source, member->mote)) {
        byte_radio_raise(simulation, member->mote, member->dbm);
      }
    }
  }
}

static void
work_out(const struct medium *medium, struct connection *connection)
{
  for(uint32_t i = 0; i < connection->count; i++) {
    connection->members[i].dbm = strength(medium->own, connection->source, connection->members[i].mote);
  }
}

static void
init(struct simulation *simulation)
{
  ((struct log_distance *)simulation->medium->own)->seed = simulation->seed;
  unit_disk_init(simulation);
}

static void
read(struct reader *reader, struct medium *medium)
{
  struct log_distance *model = medium->own = allocate(1, sizeof(*model));

  next_line(reader), expect(reader, "distance");
  model->reference = real_number(reader, -MOST_DB, MOST_DB);
  model->exponent = real_number(reader, 0, MOST_DB);
  model->shadowing = real_number(reader, 0, MOST_DB);
  model->asymmetry = real_number(reader, 0, MOST_DB);
  model->sensitivity = real_number(reader, -MOST_DB, MOST_DB);
  model->width = real_number(reader, 0, MOST_DB);
  model->capture = real_number(reader, 0, MOST_DB), done(reader);
}

static const struct medium_rules log_distance = {.name = "log-distance", .placed = true, .read = read, .init = init, .connect
                                                 = connect, .update = update, .update_bytes = update_bytes, .join = unit_disk_join, .leave =
                                                 unit_disk_leave, .work_out = work_out};
MEDIUM(log_distance)
