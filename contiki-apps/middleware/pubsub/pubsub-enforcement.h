/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policy enforcement points (Russello, Mostarda and Dulay 2011, Figure 6): between
 * a component and its broker, and between that broker and those of other motes.
 * Each operation that passes one is told to a policy manager, which may change an
 * event or discard the operation.
 *
 * A project that has one sets PUBSUB_CONF_ENFORCEMENT to 1; for all others the
 * points are no code and no memory.
 */
#ifndef PUBSUB_ENFORCEMENT_H_
#define PUBSUB_ENFORCEMENT_H_

#include <stdbool.h>
#include "pubsub-event.h"

/* From whom to whom: C a component, B the mote's broker, extB those of others. */
enum pubsub_direction {
  PUBSUB_C_TO_B,
  PUBSUB_B_TO_C,
  PUBSUB_B_TO_EXTB,
  PUBSUB_EXTB_TO_B
};

enum pubsub_operation {
  PUBSUB_NOTIFY,
  PUBSUB_ADVERTISE,
  PUBSUB_SUBSCRIBE,
  PUBSUB_UNADVERTISE,
  PUBSUB_UNSUBSCRIBE
};

#ifndef PUBSUB_CONF_ENFORCEMENT
#define PUBSUB_CONF_ENFORCEMENT 0
#endif

#if PUBSUB_CONF_ENFORCEMENT
struct pubsub_routing_driver;

/*
 * An event passes; its data, length and flags may be changed, and `routes` if it
 * is not NULL. False: it is discarded.
 */
bool pubsub_enforce_notify(enum pubsub_direction direction, struct pubsub_event *event,
                           const struct pubsub_routing_driver **routes);

/* Another operation passes. False: it is discarded. */
bool pubsub_enforce(enum pubsub_direction direction,
                    enum pubsub_operation operation, pubsub_subject_t subject);

/* The same, of a subject of which no more is known than pubsub_subject_id(). */
bool pubsub_enforce_id(enum pubsub_direction direction,
                       enum pubsub_operation operation, uint16_t id);
#else
#define pubsub_enforce_notify(direction, event, routes) true
#define pubsub_enforce(direction, operation, subject) true
#define pubsub_enforce_id(direction, operation, id) true
#endif

#endif
