/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A base station hands the events of one subject of the publish/subscribe middleware to
 * its gateway and takes those of other boards from it, as frames of the type `event`
 * (frames/frames.yaml). Gateways pass them on as events of the event service; beyond
 * its thesis. It needs EVENT_SERVICE_CONF_TERMS of 3 or more. An aggregate is handed
 * up, and its gateway refuses it.
 */
#ifndef PUBSUB_BRIDGE_H_
#define PUBSUB_BRIDGE_H_

#include <stdbool.h>
#include "event-service.h"
#include "pubsub.h"

/*
 * Start on a base station, after pubsub_init(). `wanted`: whether the board wants the
 * subject's events of other boards. False if there is no room for its subscription.
 */
bool pubsub_bridge_start(const struct event_service_place *place, pubsub_subject_t subject,
                         bool wanted);

#endif
