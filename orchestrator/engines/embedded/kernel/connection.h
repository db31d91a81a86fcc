/* SPDX-License-Identifier: Apache-2.0 */
/* Active transmissions and the links of radios to them. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "medium.h"

#define SOURCE UINT32_MAX /* link.member of the transmitting radio */

/* An empty one, not yet linked. */
struct connection *connection_new(struct medium *medium, struct mote *source, uint32_t most_members);
void connection_free(struct medium *medium, struct connection *connection);

/* Adds a member; an interfered one is the latest to be so. */
void connection_add(struct connection *connection, struct member member);

/* Links it to its source and members, or takes the links away. */
void connection_link(struct connection *connection);
void connection_unlink(struct connection *connection);

/* The radio's oldest active transmission, or NULL. (There are two if it was switched off during the first.) */
struct connection *connection_from(const struct mote *mote);

/* A destination that nothing has interfered so far. */
static inline bool
is_destination(const struct link *link)
{
  if(link->member == SOURCE) {
    return false;
  }
  return link->connection->members[link->member].destination && !link->connection->members[link->member].interfered;
}

/* Marks a member as interfered; it stays a destination, too. No effect if it is. */
void connection_interfere(struct connection *connection, uint32_t member);

/* The same in every transmission that the mote is an undisturbed destination of. */
void connection_interfere_all(struct mote *mote);

#endif
