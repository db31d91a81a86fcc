/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thesis's module EventChannel (chapter 3): the push model of CORBA's event
 * service. It mediates between suppliers, who advertise an event and push it, and
 * consumers, who subscribe to it; neither knows the other.
 */
#ifndef EVENT_CHANNEL_H_
#define EVENT_CHANNEL_H_

#include <stdbool.h>
#include "push-consumer.h"
#include "push-supplier.h"

/*
 * This mote supplies the event. The call goes to the gateway hop by hop, each
 * repeated until it is acknowledged. `supplier` (or NULL) hears of its disconnect.
 * False if there is no room.
 */
bool event_channel_advertise(pubsub_subject_t event,
                             const struct push_supplier *supplier);

/* This mote consumes the event: `consumer` gets what others push. As above. */
bool event_channel_subscribe(pubsub_subject_t event,
                             const struct push_consumer *consumer);

#endif
