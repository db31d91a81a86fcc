/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja's directed graph radio medium (DGRM): edges with a reception ratio, a
 * signal strength, a link quality, a delay and a channel of their own. Power and
 * positions have no effect. Only edges cause interference.
 */
#include "base/exact.h"
#include "base/memory.h"
#include "motes/simulation.h"
#include "radio/byte_radio.h"
#include "radio/connection.h"
#include "radio/radio.h"

#include <stdlib.h>
#include <string.h>

enum { ANY_CHANNEL = -1, BEST_LQI = 255 };

/* Finds which edges lead to the same radio. */
static void
init(struct simulation *simulation)
{
  struct medium *medium = simulation->medium;
  struct edge **before = allocate(simulation->mote_count + 1, sizeof(*before)); /* by mote: the last edge to it */

  for(uint32_t source = 0; source < medium->edge_sources; source++) {
    struct edges *edges = &medium->edges[source];
    for(uint32_t i = 0; i < edges->count; i++) {
      struct edge *edge = &edges->list[i];
      edge->repeats = before[edge->mote] != NULL;
      if(edge->repeats) {
        before[edge->mote]->next = edge;
      } else if(edge->mote == source) {
        edges->own = edge;
      }
      before[edge->mote] = edge;
    }
    for(uint32_t i = 0; i < edges->count; i++) {
      before[edges->list[i].mote] = NULL;
    }
  }
  free(before);
}

/* Decides whether the radio receives the frame. The order of conditions is Cooja's, because it decides which random numbers
   are drawn. */
static enum fate
receives(struct simulation *simulation, const struct mote *source, struct mote *receiver, const struct edge *edge)
{
  struct radio *radio = &receiver->radio;

  if(channels_differ(source, receiver) || !radio->on || radio->interfered) {
    return !radio->on ? RADIO_OFF : channels_differ(source, receiver) ? WRONG_CHANNEL : radio->transmitting ? BUSY_SENDING : COLLIDED;
  }
  if(simulation->medium->rules_2026_07 && radio->transmitting) {
    medium_interfere(receiver);
    return BUSY_SENDING;
  }
  if(radio->receiving) {
    medium_interfere(receiver);
    connection_interfere_all(receiver, COLLIDED);
    return COLLIDED;
  }
  return edge->ratio < 1 && java_random_double(&simulation->random) > edge->ratio ? LOST_BY_CHANCE : RECEIVED;
}

/* The member of a radio, which its first edge has made. */
static struct member *
member_before(const struct connection *connection, const struct mote *mote)
{
  uint32_t i = mote->radio.link_count;

  do {
    i--;
  } while(mote->radio.links[i].connection != connection || mote->radio.links[i].member == SOURCE);
  return &connection->members[mote->radio.links[i].member];
}

/* A further edge makes the radio receive: it becomes a further entry among the destinations, with the first one's delay. */
static void
add_again(struct connection *connection, struct member *member, int64_t delay)
{
  struct member *again = &connection->members[connection->count];

  if(member->undisturbed) {
    return;
  }
  for(struct member *at = member; at < again; at++) {
    if(at->mote == member->mote && at->destination) {
      delay = at->delay;
      break;
    }
  }
  *again = (struct member){.mote = member->mote, .edge = member->edge, .delay = delay, .destination = true, .again = true};
  connection->count++;
  connection->repeats = true;
  member->undisturbed = true;
  member->only_interfered = false;
}

static void
connect(struct simulation *simulation, struct mote *source, struct packet *packet)
{
  struct medium *medium = simulation->medium;
  const struct edges *edges = source->index < medium->edge_sources ? &medium->edges[source->index] : NULL;
  struct connection *connection = connection_new(medium, source, edges == NULL ? 0 : edges->count);

  for(uint32_t i = 0; edges != NULL && i < edges->count; i++) {
    const struct edge *edge = &edges->list[i];
    struct mote *receiver = &simulation->motes[edge->mote];
    if(edge->gone || receiver == source) {
      continue;
    }
    int channel = receiver->radio.seen_channel;
    /* Otherwise it takes no part in the transmission, but it hears the signal if it changes to the edge's channel. */
    bool takes_part = edge->channel < 0 || channel < 0 || edge->channel == channel;
    enum fate fate = takes_part ? receives(simulation, source, receiver, edge) : receiver->radio.on ? WRONG_CHANNEL : RADIO_OFF;
    bool destination = fate == RECEIVED;
    if(!edge->repeats) {
      struct member *member = connection_add(connection, receiver, fate, takes_part && !destination);
      member->edge = edge;
      member->delay = edge->delay;
    } else if(destination) {
      add_again(connection, member_before(connection, receiver), edge->delay);
    } else if(takes_part) {
      connection_interfere(connection, (uint32_t)(member_before(connection, receiver) - connection->members), fate);
    }
  }
  medium_begin(simulation, connection, packet);
}

/* Does the radio hear the source's signal? Unlike above, only -1 means any channel. */
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

/* The strongest signal of all edges from the source to the radio, and the link quality of the last one. */
static int
hear(struct mote *mote, const struct edge *first, const struct mote *source, int signal)
{
  for(const struct edge *edge = first; edge != NULL; edge = edge->next) {
    if(hears(edge, source, mote)) {
      signal = signal < edge->signal ? to_int(edge->signal) : signal;
      mote->radio.lqi = edge->lqi < 0 ? 0 : edge->lqi > BEST_LQI ? BEST_LQI : edge->lqi;
    }
  }
  return signal;
}

static void
update(const struct medium *medium, struct mote *mote)
{
  struct radio *radio = &mote->radio;
  int signal = medium_base_signal(mote);

  for(uint32_t i = 0; i < radio->link_count; i++) {
    const struct link *link = &radio->links[i];
    if(link->member == SOURCE) {
      signal = signal < mote->sending_dbm ? mote->sending_dbm : signal;
      if(mote->index < medium->edge_sources) {
        signal = hear(mote, medium->edges[mote->index].own, mote, signal);
      }
    } else {
      signal = hear(mote, link->connection->members[link->member].edge, link->connection->source, signal);
    }
  }
  medium_set_signal(mote, signal);
}

static void
update_bytes(struct simulation *simulation)
{
  struct medium *medium = simulation->medium;

  byte_radios_quiet(simulation);
  for(const struct connection *connection = medium->first; connection != NULL; connection = connection->later) {
    const struct mote *source = connection->source;
    const struct edges *edges = source->index < medium->edge_sources ? &medium->edges[source->index] : NULL;
    byte_radio_raise(simulation, connection->source, source->exact_sending_dbm);
    for(uint32_t i = 0; edges != NULL && i < edges->count; i++) {
      const struct edge *edge = &edges->list[i];
      struct mote *mote = &simulation->motes[edge->mote];
      if(mote->radio.bytes != NULL && hears(edge, source, mote)) {
        byte_radio_raise(simulation, mote, edge->signal);
        mote->radio.bytes->chip->set_quality(mote, edge->lqi);
      }
    }
  }
}

/* Their effect lasts until the next update. */
static void
left(struct medium *medium, struct mote *mote)
{
  for(uint32_t source = 0; source < medium->edge_sources; source++) {
    struct edges *edges = &medium->edges[source];
    for(uint32_t i = 0; i < edges->count; i++) {
      edges->list[i].gone |= source == mote->index || edges->list[i].mote == mote->index;
    }
  }
}

/* Makes room for one more edge. Active transmissions point to edges, too. */
static void
grow(struct mote *source, struct edges *edges)
{
  const struct edge *before = edges->list;

  edges->size = edges->size ? 2 * edges->size : 8;
  edges->list = allocate(edges->size, sizeof(*edges->list));
  for(uint32_t i = 0; i < edges->count; i++) {
    edges->list[i] = before[i];
    edges->list[i].next = before[i].next == NULL ? NULL : edges->list + (before[i].next - before);
  }
  edges->own = edges->own == NULL ? NULL : edges->list + (edges->own - before);
  for(uint32_t i = 0; i < source->radio.link_count; i++) {
    struct connection *connection = source->radio.links[i].connection;
    for(uint32_t k = 0; source->radio.links[i].member == SOURCE && k < connection->count; k++) {
      connection->members[k].edge = edges->list + (connection->members[k].edge - before);
    }
  }
  free((void *)(uintptr_t)before);
}

void
directed_graph_add(struct simulation *simulation, uint32_t source, struct edge edge)
{
  struct medium *medium = simulation->medium;
  struct edge *last = NULL;
  struct edges *edges;
  uint32_t place = 0;

  if(source >= medium->edge_sources) {
    medium->edges = reallocate(medium->edges, simulation->mote_capacity, sizeof(*medium->edges));
    memset(&medium->edges[medium->edge_sources], 0, (simulation->mote_capacity - medium->edge_sources) * sizeof(*medium->edges));
    medium->edge_sources = simulation->mote_capacity;
  }
  edges = &medium->edges[source];
  for(uint32_t i = 0; i < edges->count; i++) {
    if(!edges->list[i].gone && edges->list[i].mote == edge.mote) {
      last = &edges->list[i];
      place = i + 1; /* edges to one radio keep their order */
    }
  }
  while(place < edges->count && !edges->list[place].gone) { /* that of a mote that was removed, perhaps to be flashed */
    place++;
  }
  if(place == edges->size) {
    uint32_t at = last == NULL ? 0 : (uint32_t)(last - edges->list);
    grow(&simulation->motes[source], edges);
    last = last == NULL ? NULL : edges->list + at;
  }
  edges->count += place == edges->count;
  edge.repeats = last != NULL;
  edges->list[place] = edge;
  if(last != NULL) {
    last->next = &edges->list[place];
  } else if(edge.mote == source) {
    edges->own = &edges->list[place];
  }
}

const struct medium_rules directed_graph = {.name = "directed-graph", .init = init, .connect = connect, .update = update,
                                            .update_bytes = update_bytes, .sets_lqi = true, .left = left};
MEDIUM(directed_graph)
