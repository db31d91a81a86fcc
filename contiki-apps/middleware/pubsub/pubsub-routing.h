/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The routing layer: takes events from this node's publishers and from its
 * neighbours, gives them to the local subscribers, and sends them on to the
 * next hop of a routing driver. Frames from outside the topology are dropped
 * before anything looks at them (5.2.1 of the aggregation paper). It counts.
 *
 * frames/README.md says what frames hold. They are broadcast on the link, except
 * those that a protocol sends to one neighbour; the next hop in the header
 * decides which mote takes one.
 */
#ifndef PUBSUB_ROUTING_H_
#define PUBSUB_ROUTING_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-clock.h"
#include "pubsub-event.h"

enum {
  PUBSUB_NOBODY = 0,        /* no mote has this id */
  PUBSUB_SEVERAL = 0xfffe,  /* a set of motes that the routing driver knows */
  PUBSUB_EVERYBODY = 0xffff /* every neighbour */
};

/* A routing driver, such as configured routes or diffusion. */
struct pubsub_routing_driver {
  const char *name;
  /* Whether frames of that mote are to be processed at all. */
  bool (*is_neighbour)(uint16_t mote);
  /*
   * Where an event goes from here: a mote, PUBSUB_EVERYBODY, PUBSUB_SEVERAL, or
   * PUBSUB_NOBODY if it ends here. `from`: the mote it came from, PUBSUB_NOBODY
   * for one of this node's own.
   */
  uint16_t (*next_hop)(const struct pubsub_event *event, uint16_t from);
  /* A subject gained its first or lost its last local subscriber; or NULL. */
  void (*subscription)(pubsub_subject_t subject, bool subscribed);
  /* Sends an event whose next hop is PUBSUB_SEVERAL; NULL if that never is the
     case. */
  void (*send)(const struct pubsub_event *event, uint16_t from);
  /* The least number of bytes that it puts into a frame beside an event with so
     many contributors; NULL if none. */
  uint16_t (*beside)(const struct pubsub_event *event, unsigned contributors);
};

/*
 * An interceptor gets the events of a subject before they are sent on, as a merge
 * function does. It is embedded in its owner's structure.
 */
struct pubsub_interceptor {
  struct pubsub_interceptor *next;
  pubsub_subject_t subject;
  /* True if it took the event, to pubsub_routing_forward() it later. */
  bool (*intercept)(struct pubsub_interceptor *self,
                    const struct pubsub_event *event);
};

/* Frames that are not events, by type (frames/README.md). */
struct pubsub_protocol {
  struct pubsub_protocol *next;
  uint8_t type;
  /* Returns false if the body is malformed. */
  bool (*input)(uint16_t from, const uint8_t *body, uint16_t length);
  /*
   * If not NULL, it is called instead of `input`. It gets the frames of all motes
   * for all motes, and counts them itself. Returns false if the body is
   * malformed.
   */
  bool (*overhear)(uint16_t from, uint16_t next_hop, uint16_t number,
                   const uint8_t *body, uint16_t length);
};

/* Start as mote `self`; `deliver` gets events that reach this node. */
void pubsub_routing_init(uint16_t self,
                         const struct pubsub_routing_driver *driver,
                         bool (*deliver)(const struct pubsub_event *event,
                                         uint16_t from));

/* This mote's id. */
uint16_t pubsub_routing_self(void);

/* Whether a number is the id of a mote. */
static inline bool
pubsub_is_mote(uint16_t id)
{
  return id != PUBSUB_NOBODY && id < PUBSUB_SEVERAL;
}

/* Routes one of this node's own events by a driver, NULL for that of all events. The
   event's data may be changed. */
void pubsub_routing_publish(const struct pubsub_routing_driver *driver,
                            struct pubsub_event *event);

/* Replaces the driver; returns the previous one, for subjects that the new one
   does not route. */
const struct pubsub_routing_driver *
pubsub_routing_use(const struct pubsub_routing_driver *driver);

/* Delivers an event that a protocol found in a frame of its own, and sends it on by
   a driver, NULL for that of all events. The event's data may be changed. */
void pubsub_routing_input(const struct pubsub_routing_driver *driver,
                          struct pubsub_event *event,
                          uint16_t from, uint16_t number);

/*
 * Write an event into a frame of a protocol, after `length` bytes of its own and
 * with room for `after` more, and count it as sent: the protocol hands the frame
 * (PUBSUB_FRAME_SIZE bytes of room) to the link. Returns the size so far, 0 if it
 * doesn't fit.
 */
uint16_t pubsub_routing_frame(uint8_t *frame, uint8_t type, uint16_t next_hop,
                              const uint8_t *own, uint8_t length,
                              const struct pubsub_event *event, uint8_t after);

/* Broadcasts on the link what that function wrote. */
void pubsub_routing_broadcast(const uint8_t *frame, uint16_t size);

/* Whether a frame has room for the event with that many more contributors. */
bool pubsub_routing_fits(const struct pubsub_event *event, unsigned more);

/* Sends an event to its next hop without asking interceptors. The event's data may
   be changed. */
void pubsub_routing_forward(struct pubsub_event *event);

/* Adds an interceptor, which gets the events of its subject that may be merged.
   There is one for each subject: returns false if there is one already. */
bool pubsub_routing_intercept(struct pubsub_interceptor *interceptor);
void pubsub_routing_let_pass(struct pubsub_interceptor *interceptor);

/* Tell the driver about local subscriptions. */
void pubsub_routing_subscription(pubsub_subject_t subject, bool subscribed);

void pubsub_routing_add_protocol(struct pubsub_protocol *protocol);

/*
 * Send a frame of a protocol. `sent` (or NULL) is called when the MAC is done
 * with it, with whether it was transmitted.
 */
void pubsub_routing_send(uint8_t type, uint16_t next_hop,
                         const uint8_t *body, uint16_t length,
                         void (*sent)(bool transmitted));

#endif
