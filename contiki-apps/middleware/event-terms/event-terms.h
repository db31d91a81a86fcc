/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms of a channel, beyond the event service thesis: what a supplier offers and a
 * consumer asks. They travel with a registration (structure `term` of frames/frames.yaml).
 * Gateways compare them where a subscription meets a publication, and hand on only
 * what a condition wants; a base station that keeps the tables does the latter.
 * Applications get them from their scenario (`offers`, `asks`, `condition`).
 */
#ifndef EVENT_TERMS_H_
#define EVENT_TERMS_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-event.h"

enum {
  EVENT_TERMS_SUPPLIER = 1, /* u8: its number among the suppliers */
  EVENT_TERMS_TYPE = 2,     /* u16: of the event (event-types.h) */
  EVENT_TERMS_PERIOD = 3,   /* u32, ms: between two events at most */
  EVENT_TERMS_DEADLINE = 4, /* u32, ms: from push to delivery at most */
  EVENT_TERMS_OMISSION = 5, /* u16: events in a row that may be lost */
  EVENT_TERMS_TTL = 6,      /* u8: gateways that an event may pass on */
  EVENT_TERMS_CONDITION = 7, /* event-condition.h */
  EVENT_TERMS_BRIDGE = 8    /* u8, 1: of a base station that bridges (pubsub-bridge.h) */
};

/* The reasons of a refusal, as bits. */
enum {
  EVENT_TERMS_OTHER_TYPE = 0x01,
  EVENT_TERMS_OTHER_PERIOD = 0x02,
  EVENT_TERMS_OTHER_DEADLINE = 0x04,
  EVENT_TERMS_OTHER_OMISSION = 0x08,
  EVENT_TERMS_OTHER_TTL = 0x10
};

/* Whether these bytes are terms, each with its kind, length and value. */
bool event_terms_are(const uint8_t *terms, uint8_t length);

/* The value of the term of that kind and its length, or NULL. */
const uint8_t *event_terms_find(const uint8_t *terms, uint8_t length, uint8_t kind,
                                uint8_t *value_length);

/* Whether their condition, if there is one, wants an event with this data. One that is
   damaged wants none. */
bool event_terms_want(const uint8_t *terms, uint8_t length,
                      const uint8_t *data, uint8_t data_length);

/*
 * `refused` is called when a gateway says that a subscription of this mote asks what a
 * publication of mote `supplier` doesn't offer. Takes a channel of the mote's; false if
 * there is none left.
 */
bool event_terms_on_refusal(void (*refused)(pubsub_subject_t event, uint16_t supplier,
                                            uint8_t reasons));

#endif
