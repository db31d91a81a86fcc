/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of a node, at its routing layer unless said otherwise. The names are
 * those of the log format's `cnt` record, which explains each.
 */
#ifndef PUBSUB_COUNTERS_H_
#define PUBSUB_COUNTERS_H_

#include "contiki.h"
#if MAC_CONF_WITH_RADIO_CSMA
#include "net/mac/radio-csma/radio-csma.h"
#endif

#define PUBSUB_COUNTERS(X) \
  X(events_published) \
  X(events_transmitted) \
  X(control_packets_sent) \
  X(control_packets_received) \
  X(packets_off_topology) \
  X(packets_malformed) \
  X(event_packets_received) \
  X(events_delivered) \
  X(merged) \
  X(forward_timeout) \
  X(forward_full) \
  X(forward_contained) \
  X(forward_frame) \
  X(no_route) \
  X(mac_sent) \
  X(mac_channel_access_failure) \
  X(mac_collision) \
  X(queue_dropped) \
  X(pool_exhausted)

struct pubsub_counters {
#define PUBSUB_COUNTER_FIELD(name) uint32_t name;
  PUBSUB_COUNTERS(PUBSUB_COUNTER_FIELD)
#undef PUBSUB_COUNTER_FIELD
  uint32_t merges_undone; /* printed only where there are some */
#if MAC_CONF_WITH_RADIO_CSMA
  struct radio_csma_counters radio;
#endif
};

extern struct pubsub_counters pubsub_counters;

/*
 * The measured time begins: all counters are set to 0 but those of the control
 * protocol, which works before the measured time and which the paper's packet
 * counts contain (6.1: "Node S transmits some packets to establish the
 * channel").
 */
void pubsub_counters_start(void);

#endif
