/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beyond the thesis: what this mote has registered is registered again every `renewal`, up to an
 * eighth later by chance. So a parent that starts anew learns it again, and gateways can forget
 * what nobody renews. A parent that acknowledges none of EVENT_SERVICE_TRIES requests is taken
 * for silent: the mote asks for a base station in range and has the first that answers as its
 * parent, or its own again if that answers first. The motes below it come along, since what they
 * renew goes its way. Only base stations adopt, so that no circle can arise.
 */
#ifndef EVENT_SERVICE_RENEWAL_H_
#define EVENT_SERVICE_RENEWAL_H_

#include "event-service-frames.h"

#if EVENT_SERVICE_RENEWAL
#define EVENT_SERVICE_RENEWAL_COUNTERS(X) \
  X(registrations_renewed) \
  X(parents_silent) \
  X(parents_found)

struct event_service_renewal_counters {
#define EVENT_SERVICE_RENEWAL_FIELD(name) uint32_t name;
  EVENT_SERVICE_RENEWAL_COUNTERS(EVENT_SERVICE_RENEWAL_FIELD)
#undef EVENT_SERVICE_RENEWAL_FIELD
};

extern struct event_service_renewal_counters event_service_renewal_counters;

/* Forgets who the parent was before, but not this mote's own registrations. */
void event_service_renewal_init(void);

/* This mote registered something, or withdrew it. */
void event_service_renewal_note(const struct event_service_registration *registration);

/* Registers what this mote has of the subject again, now; 0: all that it has. */
void event_service_renew(pubsub_subject_t event);

/* The parent is silent; it acknowledged a request. */
void event_service_parent_silent(void);
void event_service_parent_heard(void);

bool event_service_orphan_input(uint16_t from, const uint8_t *body, uint16_t length);
bool event_service_adoption_input(uint16_t from, const uint8_t *body, uint16_t length);
#else
#define event_service_renewal_note(registration)
#define event_service_renew(event)
#define event_service_parent_silent()
#define event_service_parent_heard()
#endif

#endif
