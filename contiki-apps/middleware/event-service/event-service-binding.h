/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beyond the thesis: between a mote and its parent a subject is bound to an identifier of two
 * bytes, which frames have instead of its eight. The parent binds a subject when it acknowledges
 * its registration (frame `bound`), and knows what it bound for those below; each mote knows what
 * its parent bound. A subject for which a parent has no room, or whose identifier another one
 * has, is acknowledged without and goes as it is.
 *
 * A mote that started anew has lost its bindings. It answers an identifier that it doesn't know
 * with `unbound`: that event is lost, and the next ones have the whole subject until a
 * registration of it passes again.
 */
#ifndef EVENT_SERVICE_BINDING_H_
#define EVENT_SERVICE_BINDING_H_

#include <stdbool.h>
#include <stdint.h>
#include "event-service-conf.h"
#include "pubsub-event.h"
#include "pubsub-frames.h"

#if EVENT_SERVICE_BINDINGS > 0
#define EVENT_SERVICE_BINDING_COUNTERS(X) \
  X(frame_bytes_sent) \
  X(identifiers_sent) \
  X(identifiers_unknown)

struct event_service_binding_counters {
#define EVENT_SERVICE_BINDING_FIELD(name) uint32_t name;
  EVENT_SERVICE_BINDING_COUNTERS(EVENT_SERVICE_BINDING_FIELD)
#undef EVENT_SERVICE_BINDING_FIELD
};

/* Bytes of frames that were sent by radio, events that had an identifier, and frames whose
   identifier nobody knew here. */
extern struct event_service_binding_counters event_service_binding_counters;

void event_service_binding_init(void);

/* Binds a subject for the motes below. False: it stays as it is. */
bool event_service_binding_bind(pubsub_subject_t subject, uint16_t *identifier);

/* The parent bound a subject. */
void event_service_binding_bound(pubsub_subject_t subject, uint16_t identifier);

/* The parent is another one. */
void event_service_binding_forget_parent(void);

/*
 * Puts the identifier into an encoded event, if the receivers know it: the parent (`up`), or those
 * below. Returns its new length, the same if it is left as it is.
 */
uint16_t event_service_binding_shorten(bool up, pubsub_subject_t subject, uint8_t *event,
                                       uint16_t length);

/*
 * Reads an event with an identifier, from a mote below (`up`) or from the parent. False: it is
 * malformed. If the identifier isn't known, `known` is false and the mote `from` is told.
 */
bool event_service_binding_read(bool up, uint16_t from, struct pubsub_event *event,
                                const uint8_t *bytes, uint16_t length, bool *known);

bool event_service_unbound_input(uint16_t from, const uint8_t *body, uint16_t length);
#endif

#endif
