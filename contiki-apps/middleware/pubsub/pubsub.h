/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topic-based publish/subscribe in the manner of FAMOUSO (Schulze 2009; Zug,
 * Schulze, Dietrich and Kaiser 2010): subjects, event channels of publishers and
 * of subscribers with attributes, announce, publish and subscribe.
 *
 *   struct pubsub_publisher_channel *channel;
 *   channel = pubsub_announce(pubsub_subject("light"), NULL);
 *   pubsub_publish(channel, &value, sizeof(value), 0);
 *
 * Channels come from pools; a full pool is logged and counted, and the call
 * returns NULL.
 */
#ifndef PUBSUB_H_
#define PUBSUB_H_

#include "pubsub-event.h"
#include "pubsub-routing.h"

struct pubsub_attribute;

/*
 * The functions of a kind of attribute. A channel knows nothing else about its
 * attributes, so that an attribute that nobody uses is not linked, and a channel
 * without attributes takes one pointer.
 */
struct pubsub_attribute_type {
  /* The channel of that subject opens; false refuses, and the reason has been
     logged. */
  bool (*attach)(struct pubsub_attribute *attribute, pubsub_subject_t subject);
  /* The channel closes. */
  void (*detach)(struct pubsub_attribute *attribute);
};

/* First member of every attribute. One attribute belongs to one channel. */
struct pubsub_attribute {
  struct pubsub_attribute *next; /* the channel's next attribute, or NULL */
  const struct pubsub_attribute_type *type;
};

struct pubsub_publisher_channel {
  struct pubsub_publisher_channel *next;
  pubsub_subject_t subject;
  struct pubsub_attribute *attributes;
  uint16_t sequence; /* of its last event; before the first: what it goes on from */
};

/*
 * `from`: the neighbour that sent it, this mote itself for a local event. A
 * callback may unsubscribe its own channel, but no other of this subject.
 */
typedef void (*pubsub_callback_t)(const struct pubsub_event *event,
                                  uint16_t from, void *context);

struct pubsub_subscriber_channel {
  struct pubsub_subscriber_channel *next;
  pubsub_subject_t subject;
  struct pubsub_attribute *attributes;
  pubsub_callback_t callback;
  void *context;
};

/*
 * Start the middleware on mote `self`, whose events carry the publisher index
 * `publisher` (1-based; 0 if it publishes nothing).
 */
void pubsub_init(uint16_t self, uint8_t publisher,
                 const struct pubsub_routing_driver *routes);

/*
 * Distinguishes this mote's events from those of its earlier boots. It is 0 until
 * the routing that carries it has drawn it, after pubsub_init().
 */
extern uint16_t pubsub_incarnation;

/* Open a channel to publish on, its attributes linked by their `next`. NULL also if
   a policy discarded the operation. */
struct pubsub_publisher_channel *
pubsub_announce(pubsub_subject_t subject, struct pubsub_attribute *attributes);

/*
 * Publish an individual event. The mote's events of a subject are numbered 1, 2,
 * .., whichever of its channels they are published on; a channel that opens goes
 * on from the last number of those that were closed. `flags`:
 * PUBSUB_AGGREGATABLE or 0, and PUBSUB_RELIABLE for a driver that knows it. False,
 * and the number is used up, if `length` is more than PUBSUB_MAX_DATA or this mote
 * has no publisher index; false, and it isn't, if a policy discarded the event.
 */
bool pubsub_publish(struct pubsub_publisher_channel *channel,
                    const void *data, uint8_t length, uint8_t flags);

/* The same, by a routing driver; NULL: the one of pubsub_init(). */
bool pubsub_publish_by(const struct pubsub_routing_driver *routes,
                       struct pubsub_publisher_channel *channel,
                       const void *data, uint8_t length, uint8_t flags);

/* The first open channel of the subject, and that which has the callback; or NULL. */
struct pubsub_publisher_channel *pubsub_publisher_of(pubsub_subject_t subject);
struct pubsub_subscriber_channel *
pubsub_subscriber_of(pubsub_subject_t subject, pubsub_callback_t callback);

/* The channel stays open if a policy discards the operation, as with the next. */
void pubsub_unannounce(struct pubsub_publisher_channel *channel);

/* Has `callback` called for every event of the subject that arrives here. */
struct pubsub_subscriber_channel *
pubsub_subscribe(pubsub_subject_t subject, pubsub_callback_t callback,
                 void *context, struct pubsub_attribute *attributes);

void pubsub_unsubscribe(struct pubsub_subscriber_channel *channel);

#endif
