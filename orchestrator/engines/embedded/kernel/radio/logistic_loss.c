/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja's logistic loss medium: path loss grows with the logarithm of the distance, Gaussian noise is added, and the chance
 * of reception is a logistic function of the remaining strength. Whenever signal strengths are updated, the noise is drawn
 * again for every member of every active transmission; therefore all of them are visited, in Cooja's order.
 */
#include "base/exact.h"
#include "base/memory.h"
#include "motes/simulation.h"
#include "observation/observer.h"
#include "radio/byte_radio.h"
#include "radio/connection.h"
#include "radio/neighbours.h"
#include "radio/radio.h"
#include "radio/time_variation.h"
#include "radio/unit_disk.h"

#include <float.h>

struct logistic {
  double sensitivity, inflection; /* dBm: of the weakest frame; at which half of the frames are received */
  double exponent;                /* of the path loss */
  double noise;                   /* its standard deviation, dB */
  struct time_variation variation;
  uint32_t analysed; /* the medium's placement for which all pairs have been entered */
  bool joining;      /* the next update comes before Cooja knows the radio that joins */
};

static const double LEAST_DISTANCE = 0.01; /* m, of motes at one place */
static const double REJECTION = -3;        /* dB: a frame this much weaker than another does not disturb it */

/*
 * Logarithm and exponential in the precision of long double, rounded to double. These are the results of the JVM's Math but
 * for the last bit of one number in 3,000 (log10) and in 400 (exp; both measured); libc's log10() differs in one of four.
 */
static double
log10_as_java(double x)
{
  return (double)log10l(x);
}

static double
exp_as_java(double x)
{
  return (double)expl(x);
}

/* The path loss (dB) without the parts that vary. */
static double
path_loss(const struct medium *medium, const struct mote *source, const struct mote *receiver)
{
  const struct logistic *logistic = medium->own;
  double distance = neighbours_distance(source, receiver), range = medium->transmission_range;

  if(medium->rules_2026_07) {
    range *= medium_power(source);
  }
  distance = distance <= 0 ? LEAST_DISTANCE : distance;
  return -logistic->sensitivity + 10 * logistic->exponent * log10_as_java(distance / range);
}

/* The signal strength (dBm) of a path loss; draws the noise. */
static double
strength(struct simulation *simulation, const struct mote *source, const struct mote *receiver, double loss)
{
  const struct logistic *logistic = simulation->medium->own;

  if(logistic->variation.on) {
    loss += time_variation_of(&logistic->variation, source->id, receiver->id);
  }
  return 0.0 - loss + java_random_gaussian(&simulation->random) * logistic->noise;
}

static bool
gets_through(struct simulation *simulation, const struct mote *source, const struct mote *receiver, double loss)
{
  double drawn = java_random_double(&simulation->random);
  double above = strength(simulation, source, receiver, loss) - ((const struct logistic *)simulation->medium->own)->inflection;

  return drawn < 1.0 / (1.0 + exp_as_java(-above));
}

static void
enter_pair(struct simulation *simulation, const struct mote *source, const struct mote *other)
{
  if(source->id < other->id) {
    time_variation_enter(&((struct logistic *)simulation->medium->own)->variation, source->id, other->id);
  }
}

/* Cooja registers the motes of the file one by one, and enters the pairs of each when it is registered. */
static void
enter_as_registered(struct simulation *simulation, struct mote *newest)
{
  const struct radio *radio = &newest->radio;
  uint32_t before = 0;

  for(; before < radio->neighbour_count && simulation->motes[radio->neighbours[before].mote].registered < newest->registered; before++) {
    enter_pair(simulation, &simulation->motes[radio->neighbours[before].mote], newest);
  }
  for(uint32_t n = 0; n < before; n++) {
    enter_pair(simulation, newest, &simulation->motes[radio->neighbours[n].mote]);
  }
}

/* Enters the pairs that have come into range. The next update is early enough, as until then their offset is 0 anyway. */
static void
analyse(struct simulation *simulation)
{
  struct medium *medium = simulation->medium;
  struct logistic *logistic = medium->own;
  bool first = logistic->analysed == 0;

  logistic->analysed = medium->placement;
  for(uint32_t i = 0; i < simulation->present_count; i++) {
    struct mote *source = &simulation->motes[simulation->present[i]];
    if(!mote_has(source, WITH_ContikiRadio)) {
      continue;
    }
    neighbours_find(simulation, source);
    if(first) {
      enter_as_registered(simulation, source);
    }
    for(uint32_t n = 0; !first && n < source->radio.neighbour_count; n++) {
      enter_pair(simulation, source, &simulation->motes[source->radio.neighbours[n].mote]);
    }
  }
}

/* The frame comes while the radio receives another one. Is it received, if its strength suffices? */
static bool
captures(struct simulation *simulation, const struct mote *source, struct mote *receiver, double loss, bool could)
{
  double before = receiver->radio.bytes == NULL ? receiver->radio.signal : receiver->radio.bytes->signal, now = strength(simulation, source, receiver, loss);

  if(before + REJECTION > now) {
    return false;
  }
  connection_interfere_all(receiver, COLLIDED);
  medium_interfere(receiver);
  return could && now + REJECTION > before;
}

/* The order of conditions is Cooja's, because it decides which random numbers are drawn. */
static enum fate
receives(struct simulation *simulation, const struct mote *source, struct mote *receiver, double loss)
{
  struct radio *radio = &receiver->radio;
  bool received;

  if(!radio->on) {
    medium_interfere_anyhow(receiver);
    return RADIO_OFF;
  }
  if(radio->interfered) {
    return radio->transmitting ? BUSY_SENDING : COLLIDED;
  }
  if(radio->transmitting) {
    if(simulation->medium->rules_2026_07) {
      medium_interfere(receiver);
    }
    return BUSY_SENDING;
  }
  received = gets_through(simulation, source, receiver, loss);
  if(radio->receiving) {
    return captures(simulation, source, receiver, loss, received) ? RECEIVED : COLLIDED;
  }
  return received ? RECEIVED : 0.0 - loss < ((const struct logistic *)simulation->medium->own)->sensitivity ? BELOW_SENSITIVITY : LOST_BY_CHANCE;
}

static void
connect(struct simulation *simulation, struct mote *source, struct packet *packet)
{
  struct medium *medium = simulation->medium;
  struct connection *connection;

  if(medium->transmission_ratio < 1 && java_random_double(&simulation->random) > medium->transmission_ratio) {
    neighbours_of_lost(simulation, source);
    connection = connection_new(medium, source, 0);
    connection->lost = true;
    return;
  }
  neighbours_find(simulation, source);
  connection = connection_new(medium, source, source->radio.neighbour_count);
  for(uint32_t i = 0; i < source->radio.neighbour_count; i++) {
    struct mote *receiver = &simulation->motes[source->radio.neighbours[i].mote];
    double loss = path_loss(medium, source, receiver);
    enum fate fate = !channels_differ(source, receiver) ? receives(simulation, source, receiver, loss)
                     : receiver->radio.on               ? WRONG_CHANNEL
                                                        : RADIO_OFF;
    struct member *member = connection_add(connection, receiver, fate, fate != RECEIVED);
    member->loss = loss;
    member->delay = 0;
  }
  medium_begin(simulation, connection, packet);
}

/* A radio hears a member of a transmission. */
static void
raise(struct simulation *simulation, const struct connection *connection, const struct member *member)
{
  double signal;

  if(channels_differ(connection->source, member->mote)) {
    return;
  }
  signal = strength(simulation, connection->source, member->mote, member->loss);
  byte_radio_raise(simulation, member->mote, signal);
  if(member->mote->radio.signal < signal) {
    medium_set_signal(member->mote, to_int(signal));
    medium_mark(simulation->medium, member->mote);
  }
}

static void
update_all(struct simulation *simulation)
{
  struct medium *medium = simulation->medium;
  struct logistic *logistic = medium->own;
  uint32_t count = medium->changed_count;

  if(logistic->variation.on) {
    if(!logistic->joining && logistic->analysed != medium->placement) {
      analyse(simulation);
    }
    logistic->joining = false;
    time_variation_evolve(&logistic->variation, &simulation->random, simulation->queue.now);
  }
  medium->changed_count = 0;
  for(uint32_t i = 0; i < count; i++) { /* the others have the strength of the last update */
    struct mote *mote = medium->changed[i];
    mote->radio.changed = false;
    medium_set_signal(mote, medium_base_signal(mote));
    observe_state(mote);
  }
  byte_radios_quiet(simulation);
  for(struct connection *connection = medium->first; connection != NULL; connection = connection->later) {
    struct mote *source = connection->source;
    byte_radio_raise(simulation, source, STRONG_DBM);
    if(source->radio.signal < STRONG_DBM) {
      medium_set_signal(source, STRONG_DBM);
      medium_mark(medium, source);
    }
    for(uint32_t i = 0; i < connection->count; i++) {
      if(connection->members[i].undisturbed) {
        raise(simulation, connection, &connection->members[i]);
      }
    }
  }
  for(struct connection *connection = medium->first; connection != NULL; connection = connection->later) {
    for(uint32_t i = 0; i < connection->interfered_count; i++) {
      raise(simulation, connection, &connection->members[connection->interfered[i]]);
    }
  }
}

static void
work_out(const struct medium *medium, struct connection *connection)
{
  for(uint32_t i = 0; i < connection->count; i++) {
    connection->members[i].loss = path_loss(medium, connection->source, connection->members[i].mote);
  }
}

static void
join(struct medium *medium, struct mote *mote)
{
  unit_disk_join(medium, mote);
  ((struct logistic *)medium->own)->joining = true;
}

static void
read(struct reader *reader, struct medium *medium)
{
  struct logistic *logistic = medium->own = allocate(1, sizeof(*logistic));

  medium->lists_active = true;
  next_line(reader), expect(reader, "loss");
  logistic->sensitivity = real_number(reader, -DBL_MAX, DBL_MAX);
  logistic->inflection = real_number(reader, -DBL_MAX, DBL_MAX);
  logistic->exponent = real_number(reader, -DBL_MAX, DBL_MAX);
  logistic->noise = real_number(reader, -DBL_MAX, DBL_MAX), done(reader);
  next_line(reader), expect(reader, "varies");
  logistic->variation.on = choice(reader, "yes", "no");
  logistic->variation.least = real_number(reader, -DBL_MAX, DBL_MAX);
  logistic->variation.most = real_number(reader, -DBL_MAX, DBL_MAX), done(reader);
}

static const struct medium_rules logistic_loss = {.name = "logistic-loss", .placed = true, .read = read, .init =
                                                  unit_disk_init, .connect = connect, .update_all = update_all, .join =
                                                  join, .leave = unit_disk_leave, .work_out = work_out};
MEDIUM(logistic_loss)
