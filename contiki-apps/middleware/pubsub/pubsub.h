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
 * What a kind of attribute does. A channel knows nothing else about its
 * attributes, so that an attribute nobody uses is not linked and a channel
 * without attributes pays for one pointer.
 */
struct pubsub_attribute_type {
  /* The channel of that subject opens; false refuses (it has logged why). */
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
 * What tells this mote's events from those of its earlier boots; 0 until the
 * routing that carries it has drawn it, after pubsub_init().
 */
extern uint16_t pubsub_incarnation;

/* Open a channel to publish on, its attributes linked by their `next`. */
struct pubsub_publisher_channel *
pubsub_announce(pubsub_subject_t subject, struct pubsub_attribute *attributes);

/*
 * Publish an individual event. The mote's events of a subject are numbered 1, 2,
 * .., whichever of its channels they are published on; a channel that opens goes
 * on from the last number of those that were closed. `flags`:
 * PUBSUB_AGGREGATABLE or 0. False, and the number is used up, if `length` is
 * more than PUBSUB_MAX_DATA or this mote has no publisher index.
 */
bool pubsub_publish(struct pubsub_publisher_channel *channel,
                    const void *data, uint8_t length, uint8_t flags);

void pubsub_unannounce(struct pubsub_publisher_channel *channel);

/* Have `callback` called for every event of the subject that gets here. */
struct pubsub_subscriber_channel *
pubsub_subscribe(pubsub_subject_t subject, pubsub_callback_t callback,
                 void *context, struct pubsub_attribute *attributes);

void pubsub_unsubscribe(struct pubsub_subscriber_channel *channel);

#endif
