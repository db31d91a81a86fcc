/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event service on a mote, after the event service thesis ("An Event Service
 * for sensor networks", after CORBA's), chapters 3 and 5: a tree of motes with a
 * base station as its root, which speaks to a gateway over its UART. Applications
 * use event-channel.h, push-consumer.h and push-supplier.h; this starts it.
 */
#ifndef EVENT_SERVICE_H_
#define EVENT_SERVICE_H_

#include <stdbool.h>
#include <stdint.h>
#include "contiki.h"
#include "event-service-conf.h"
#include "pubsub-routing.h"

struct event_service_place {
  uint16_t mote;
  uint16_t parent;      /* in the board's tree; PUBSUB_NOBODY: a base station */
  uint8_t publisher;    /* its number among the network's suppliers, 0 for none */
  bool tables_here;     /* of a base station: it keeps the Subscribe table */
  uint8_t send_buffer;  /* frames that may be under way to the MAC and the UART at once */
  clock_time_t retry;   /* until a registration is repeated */
  uint32_t uart_rate;   /* of a base station, bit/s */
#if EVENT_SERVICE_BINDINGS > 0
  bool identifiers;     /* subjects are bound to short identifiers */
#endif
#if EVENT_SERVICE_RENEWAL
  clock_time_t renewal; /* until this mote's registrations are repeated; 0: they never are */
#endif
};

/* The event service's counters, in the log's records `cnt`. */
#define EVENT_SERVICE_COUNTERS(X) \
  X(send_buffer_full) \
  X(registrations_sent) \
  X(registrations_repeated) \
  X(registrations_acknowledged) \
  X(uart_frames_sent) \
  X(uart_frames_received) \
  X(uart_frames_malformed)

struct event_service_counters {
#define EVENT_SERVICE_COUNTER_FIELD(name) uint32_t name;
  EVENT_SERVICE_COUNTERS(EVENT_SERVICE_COUNTER_FIELD)
#undef EVENT_SERVICE_COUNTER_FIELD
};

extern struct event_service_counters event_service_counters;
extern struct event_service_place event_service_place;

/*
 * Starts the event service as that mote. Call it after pubsub_routing_init(), whose
 * driver says which motes are neighbours: the parent, the children and the instructor.
 */
void event_service_init(const struct event_service_place *place);

#endif
