/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of the event service's frames (frames/frames.yaml), on air and on the UART. */
#ifndef EVENT_SERVICE_FRAMES_H_
#define EVENT_SERVICE_FRAMES_H_

#include <stdbool.h>
#include <stdint.h>
#include "event-service-conf.h"
#include "pubsub-event.h"
#include "pubsub-frames.h"

enum {
  EVENT_SERVICE_ADVERTISE = 1,
  EVENT_SERVICE_SUBSCRIBE = 2,
  EVENT_SERVICE_DISCONNECT_SUPPLIER = 3,
  EVENT_SERVICE_DISCONNECT_CONSUMER = 4
};

/* A mote's registration. The next hop's acknowledgement repeats it. */
struct event_service_registration {
  uint8_t what;
  uint16_t origin;
  pubsub_subject_t event;
#if EVENT_SERVICE_TERMS > 0
  uint8_t terms_length;
  uint8_t terms[EVENT_SERVICE_TERMS];
#endif
};

/* The instructor's codes (section 3.4). */
enum {
  EVENT_SERVICE_INSTRUCT_ADVERTISE = 10,
  EVENT_SERVICE_INSTRUCT_SUBSCRIBE = 11,
  EVENT_SERVICE_INSTRUCT_PUSH = 12,
  EVENT_SERVICE_INSTRUCT_INTERVAL = 13
};

struct event_service_instruction {
  uint16_t number;
  uint16_t target;
  uint8_t code;
  uint16_t interval; /* ms */
  pubsub_subject_t event;
};

struct event_service_delivery {
  uint8_t consumers;
  uint16_t consumer[EVENT_SERVICE_CONSUMERS];
  struct pubsub_event event;
};

/* Of a registration without terms, and of the longest. */
#define EVENT_SERVICE_REGISTRATION_SIZE PUBSUB_REGISTRATION_BODY_FIXED_SIZE
#define EVENT_SERVICE_REGISTRATION_MOST (EVENT_SERVICE_REGISTRATION_SIZE + EVENT_SERVICE_TERMS)
#define EVENT_SERVICE_INSTRUCTION_SIZE PUBSUB_INSTRUCTION_BODY_FIXED_SIZE

/* Returns the size. */
uint16_t event_service_registration_encode(const struct event_service_registration *registration,
                                           uint8_t body[EVENT_SERVICE_REGISTRATION_MOST]);
bool event_service_registration_decode(struct event_service_registration *registration,
                                       const uint8_t *body, uint16_t length);

void event_service_instruction_encode(const struct event_service_instruction *instruction,
                                      uint8_t body[EVENT_SERVICE_INSTRUCTION_SIZE]);
bool event_service_instruction_decode(struct event_service_instruction *instruction,
                                      const uint8_t *body, uint16_t length);

/* Returns the size, 0 if there is no room for it. */
uint16_t event_service_delivery_encode(const struct event_service_delivery *delivery,
                                       uint8_t *body, uint16_t size);
bool event_service_delivery_decode(struct event_service_delivery *delivery,
                                   const uint8_t *body, uint16_t length);

/* Of a delivery's consumers alone. Returns the bytes up to its event, 0 if it is malformed. */
uint16_t event_service_consumers_decode(struct event_service_delivery *delivery,
                                        const uint8_t *body, uint16_t length);

/*
 * An event with its subject's identifier (beyond the thesis). shorten() makes one of an encoded
 * event and returns its size; decode() leaves the event's subject 0.
 */
uint16_t event_service_bound_event_shorten(uint8_t *event, uint16_t length, uint16_t identifier);
bool event_service_bound_event_decode(struct pubsub_event *event, uint16_t *identifier,
                                      const uint8_t *bytes, uint16_t length);

#endif
