/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/connection.h"

#include "base/memory.h"

#include <stdlib.h>

struct connection *
connection_new(struct medium *medium, struct mote *source, uint32_t most_members)
{
  struct connection *connection = medium->free;

  medium->radios_seen += most_members;
  if(connection != NULL) {
    medium->free = connection->next_free;
  } else {
    connection = allocate(1, sizeof(*connection));
  }
  if(connection->size < most_members) {
    connection->members = reallocate(connection->members, most_members, sizeof(*connection->members));
    connection->interfered = reallocate(connection->interfered, most_members, sizeof(*connection->interfered));
    connection->size = most_members;
  }
  connection->source = source;
  connection->count = 0;
  connection->interfered_count = 0;
  connection->repeats = connection->lost = false;
  connection_link(source, connection, SOURCE);
  if(medium->lists_active) {
    connection->earlier = medium->last;
    connection->later = NULL;
    *(medium->last != NULL ? &medium->last->later : &medium->first) = connection;
    medium->last = connection;
  }
  return connection;
}

void
connection_free(struct medium *medium, struct connection *connection)
{
  connection->next_free = medium->free;
  medium->free = connection;
}

void
connection_end(struct medium *medium, struct connection *connection)
{
  if(medium->lists_active) {
    *(connection->earlier != NULL ? &connection->earlier->later : &medium->first) = connection->later;
    *(connection->later != NULL ? &connection->later->earlier : &medium->last) = connection->earlier;
  }
}

void
connection_more_links(struct radio *radio)
{
  radio->link_size = radio->link_size ? 2 * radio->link_size : 4;
  radio->links = reallocate(radio->links, radio->link_size, sizeof(*radio->links));
}

struct connection *
connection_from(const struct mote *mote)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    if(mote->radio.links[i].member == SOURCE) {
      return mote->radio.links[i].connection;
    }
  }
  return NULL;
}

bool
connection_is_any_destination(const struct connection *connection, uint32_t member)
{
  const struct member *members = connection->members;

  for(uint32_t i = member; i < connection->count; i++) {
    if(members[i].destination && members[i].mote == members[member].mote) {
      return true;
    }
    if(i == member && !connection->repeats) {
      return false;
    }
  }
  return false;
}

void
connection_interfere(struct connection *connection, uint32_t member, enum fate fate)
{
  if(!connection->members[member].interfered) {
    if(connection->members[member].undisturbed) {
      connection->members[member].fate = (uint8_t)fate;
    }
    connection->members[member].interfered = connection->members[member].only_interfered = true;
    connection->members[member].undisturbed = false;
    connection->interfered[connection->interfered_count++] = member;
  }
}

void
connection_interfere_all(struct mote *mote, enum fate fate)
{
  for(uint32_t i = 0; i < mote->radio.link_count; i++) {
    struct link *link = &mote->radio.links[i];
    if(is_destination(link)) {
      connection_interfere(link->connection, link->member, fate);
    }
  }
}
