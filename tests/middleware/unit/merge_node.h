/* SPDX-License-Identifier: Apache-2.0 */
/* Publisher 3 of a chain of five: mote 4 hears mote 5, sends to mote 3. */
#ifndef MERGE_NODE_H_
#define MERGE_NODE_H_

#include <string.h>
#include "configured-routes.h"
#include "host.h"
#include "mean.h"
#include "pubsub-counters.h"

#define TOPIC pubsub_subject("t")

static struct merge_attribute merging;
static struct pubsub_publisher_channel *channel;
/*---------------------------------------------------------------------------*/
static inline void
node(uint8_t publisher, uint8_t full_at, const struct merge_function *function)
{
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  configured_routes_set(3);
  configured_routes_add_neighbour(3);
  configured_routes_add_neighbour(5);
  pubsub_init(4, publisher, &configured_routes);
  merge_attribute_init(&merging, function, full_at);
  channel = pubsub_announce(TOPIC, &merging.attribute);
  CHECK(channel != NULL);
}
/*---------------------------------------------------------------------------*/
static inline void
publish(int16_t value)
{
  uint8_t data[MERGE_MEAN_DATA_SIZE];

  merge_mean_put(data, value);
  CHECK(pubsub_publish(channel, data, sizeof(data), PUBSUB_AGGREGATABLE));
}
/*---------------------------------------------------------------------------*/
static inline void
arrive(int16_t value, int n, const struct pubsub_contributor *contributors)
{
  struct pubsub_event event = host_make(TOPIC, value, n, contributors);

  host_receive_event(&event, 5, 4);
}
/*---------------------------------------------------------------------------*/
/* Returns "publisher.sequence" of a sent frame's contributors, joined by +. */
static inline const char *
sent(unsigned frame)
{
  static char text[256];
  struct pubsub_event event = host_event(frame);
  char *at = text;

  for(unsigned i = 0; i < event.contributors; i++) {
    at += sprintf(at, "%s%d.%d", i > 0 ? "+" : "",
                  event.contributor[i].publisher,
                  event.contributor[i].sequence);
  }
  return text;
}

#endif
