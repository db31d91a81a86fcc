/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja's directed graph radio medium (DGRM): edges with a reception ratio, a
 * signal strength, a link quality, a delay and a channel of their own. Power and
 * positions do nothing. Interference is by edges alone.
 */
#include "connection.h"
#include "exact.h"
#include "radio.h"
#include "simulation.h"

enum { ANY_CHANNEL = -1, BEST_LQI = 255 };

static void
no_init(struct simulation *simulation)
{
  (void)simulation;
}

/* Cooja's order of questions decides which random numbers are drawn. Says whether the radio is to receive the frame. */
static bool
receives(struct simulation *simulation, const struct mote *source, struct mote *receiver, const struct edge *edge)
{
  struct radio *radio = &receiver->radio;

  if(channels_differ(source, receiver) || !radio->on || radio->interfered) {
    return false;
  }
  if(simulation->medium.rules_2026_07 && radio->transmitting) {
    radio->interfered = true;
    return false;
  }
  if(radio->receiving) {
    radio->interfered = true;
    connection_interfere_all(receiver);
    return false;
  }
  return !(edge->ratio < 1 && java_random_double(&simulation->random) > edge->ratio);
}

static void
connect(struct simulation *simulation, struct mote *source, struct packet *packet)
{
  struct medium *medium = &simulation->medium;
  const struct edges *edges = source->index < medium->edge_sources ? &medium->edges[source->index] : NULL;
  struct connection *connection = connection_new(medium, source, edges == NULL ? 0 : edges->count);

  for(uint32_t i = 0; edges != NULL && i < edges->count; i++) {
    const struct edge *edge = &edges->list[i];
    struct mote *receiver = &simulation->motes[edge->mote];
    if(edge->gone) {
      continue;
    }
    int channel = receiver->radio.seen_channel;
    /* Else it takes no part, but hears the signal once it comes to the edge's channel. */
    bool takes_part = edge->channel < 0 || channel < 0 || edge->channel == channel;
    bool destination = takes_part && receives(simulation, source, receiver, edge);
    struct member *member = connection_add(connection, receiver, destination, takes_part && !destination);
    member->edge = edge;
    member->delay = edge->delay;
  }
  medium_begin(simulation, connection, packet);
}

/* Whether the source's signal is there; other than above, only -1 is any channel. */
static bool
hears(const struct edge *edge, const struct mote *source, const struct mote *receiver)
{
  int from = source->radio.seen_channel, to = receiver->radio.seen_channel;

  if(edge->gone) {
    return false;
  }
  return from == ANY_CHANNEL ||
         ((edge->channel == ANY_CHANNEL || edge->channel == from) && (to == ANY_CHANNEL || to == from));
}

static void
update(const struct medium *medium, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int signal = medium_base_signal(mote);

  (void)medium;
  for(uint32_t i = 0; i < radio->link_count; i++) {
    const struct link *link = &radio->links[i];
    if(link->member == SOURCE) {
      signal = signal < STRONG_DBM ? STRONG_DBM : signal;
      continue;
    }
    const struct edge *edge = link->connection->members[link->member].edge;
    if(hears(edge, link->connection->source, mote)) {
      signal = signal < edge->signal ? to_int(edge->signal) : signal;
      radio->lqi = edge->lqi < 0 ? 0 : edge->lqi > BEST_LQI ? BEST_LQI : edge->lqi; /* of the latest, as in Cooja */
    }
  }
  medium_set_signal(mote, signal);
}

static void
leave(struct medium *medium, struct mote *mote)
{
  for(uint32_t source = 0; source < medium->edge_sources; source++) {
    struct edges *edges = &medium->edges[source];
    for(uint32_t i = 0; i < edges->count; i++) {
      edges->list[i].gone |= source == mote->index || edges->list[i].mote == mote->index;
    }
  }
}

const struct medium_rules directed_graph = {no_init, connect, update, true, NULL, leave, NULL, NULL};
