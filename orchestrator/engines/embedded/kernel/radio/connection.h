/* SPDX-License-Identifier: Apache-2.0 */
/* Active transmissions and the links of radios to them. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "radio/medium.h"

#define SOURCE UINT32_MAX /* link.member of the transmitting radio */

/* Makes a connection without members, linked to its source. */
struct connection *connection_new(struct medium *medium, struct mote *source, uint32_t most_members);

/* It is no longer active. */
void connection_end(struct medium *medium, struct connection *connection);

/* Removes the links of all radios to it. */
void connection_free(struct medium *medium, struct connection *connection);

void connection_more_links(struct radio *radio);

static inline void
connection_link(struct mote *mote, struct connection *connection, uint32_t member)
{
  struct radio *radio = &mote->radio;

  if(radio->link_count == radio->link_size) {
    connection_more_links(radio);
  }
  radio->links[radio->link_count++] = (struct link){connection, member};
}

static inline void
connection_unlink(struct mote *mote, const struct connection *connection)
{
  struct radio *radio = &mote->radio;
  uint32_t kept = 0;

  if(radio->link_count == 1 && radio->links[0].connection == connection) {
    radio->link_count = 0;
    return;
  }
  for(uint32_t i = 0; i < radio->link_count; i++) {
    if(radio->links[i].connection != connection) {
      radio->links[kept++] = radio->links[i];
    }
  }
  radio->link_count = kept;
}

/* Adds a linked member, for which there must be room; the caller sets the fields that depend on the medium. `fate`: RECEIVED
   makes it a destination, anything else says why it isn't one. */
static inline struct member *
connection_add(struct connection *connection, struct mote *mote, enum fate fate, bool interfered)
{
  bool destination = fate == RECEIVED;
  uint32_t index = connection->count++;
  struct member *member = &connection->members[index];

  member->mote = mote;
  member->destination = member->undisturbed = destination;
  member->interfered = member->only_interfered = interfered;
  member->again = false;
  member->fate = (uint8_t)fate;
  if(interfered) {
    connection->interfered[connection->interfered_count++] = index;
  }
  connection_link(mote, connection, index);
  return member;
}

/* The radio's oldest active transmission, or NULL. (There are two if it was switched off during the first.) */
struct connection *connection_from(const struct mote *mote);

/* Makes a member a destination that nothing has interfered with so far. */
static inline bool
is_destination(const struct link *link)
{
  return link->member != SOURCE && link->connection->members[link->member].undisturbed;
}

/* Is the radio a destination of the frame, disturbed or not? */
bool connection_is_any_destination(const struct connection *connection, uint32_t member);

/* Marks a member as interfered, unless it is; if it is a destination it remains one, and `fate` says why it doesn't receive. */
void connection_interfere(struct connection *connection, uint32_t member, enum fate fate);

/* Does the same in every transmission of which the mote is an undisturbed destination. */
void connection_interfere_all(struct mote *mote, enum fate fate);

#endif
