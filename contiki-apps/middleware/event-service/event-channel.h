/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thesis's module EventChannel (chapter 3): the push model of CORBA's event
 * service. It mediates between suppliers, who advertise an event and push it, and
 * consumers, who subscribe to it; neither knows the other.
 */
#ifndef EVENT_CHANNEL_H_
#define EVENT_CHANNEL_H_

#include <stdbool.h>
#include "event-service-conf.h"
#include "push-consumer.h"
#include "push-supplier.h"

/*
 * This mote supplies the event. The registration goes to the gateway hop by hop,
 * and each hop repeats it until it is acknowledged. `supplier` (or NULL) is told
 * when it is disconnected. Returns false if there is no room.
 */
bool event_channel_advertise(pubsub_subject_t event,
                             const struct push_supplier *supplier);

/* This mote consumes the event: `consumer` gets what others push. The rest is as
   above. */
bool event_channel_subscribe(pubsub_subject_t event,
                             const struct push_consumer *consumer);

#if EVENT_SERVICE_TERMS > 0
/*
 * Beyond the thesis: the same with the terms that are offered or asked, as event-terms.h has
 * them. Also false if there are too many.
 */
bool event_channel_advertise_with(pubsub_subject_t event, const struct push_supplier *supplier,
                                  const uint8_t *terms, uint8_t length);
bool event_channel_subscribe_with(pubsub_subject_t event, const struct push_consumer *consumer,
                                  const uint8_t *terms, uint8_t length);

/* `consumer` gets the event if it comes to this mote; nobody is asked for it. */
bool event_channel_listen(pubsub_subject_t event, const struct push_consumer *consumer);
#endif

#endif
