/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads frames as the middleware does: from standard input, each a length byte and
 * its bytes. Prints each one's fields in the order of frames.yaml, or "refused".
 * What C makes of a frame's fields again is compared where there is an encoder.
 */
#include <inttypes.h>
#include <stdio.h>
#include "distribution-frames.h"
#include "event-service-frames.h"
#include "pull-dpc/pull-dpc.h"
#include "push-dpc/push-dpc.h"
#include "run-frames.h"
#include "../host/check.h"

#define decode interests_decode
#define protocol interests_protocol
#define overhear interests_input
#include "diffusion-interests.c"
#undef decode
#undef protocol
#undef overhear
#define decode copy_decode
#define input copy_input
#include "diffusion-events.c"
#undef decode
#undef input

static uint8_t frame[256];
static uint16_t length;
static const uint8_t *body = frame + PUBSUB_FRAME_HEADER_SIZE;
/*---------------------------------------------------------------------------*/
static void
print_event(const struct pubsub_event *event)
{
  unsigned i;

  printf(" %" PRIu64 " %u ", event->subject, event->flags);
  for(i = 0; i < event->length; i++) {
    printf("%02x", event->data[i]);
  }
  printf("-");
  for(i = 0; i < event->contributors; i++) {
    printf(" %u %u", event->contributor[i].publisher, event->contributor[i].sequence);
  }
}
/*---------------------------------------------------------------------------*/
static void
check_encoded(const uint8_t *encoded, uint16_t size)
{
  CHECK_EQUAL(size, length);
  CHECK(memcmp(encoded, body, size) == 0);
}
/*---------------------------------------------------------------------------*/
static bool
print_body_event(void)
{
  uint8_t encoded[PUBSUB_FRAME_SIZE];
  struct pubsub_event event;

  if(!pubsub_event_decode(&event, body, length)) {
    return false;
  }
  print_event(&event);
  check_encoded(encoded, pubsub_event_encode(&event, encoded, sizeof(encoded)));
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_command(void)
{
  uint8_t encoded[RUN_COMMAND_SIZE];
  struct run_command c;

  if(!run_command_decode(&c, body, length)) {
    return false;
  }
  printf(" %u %u %u %u %u %u %" PRIu32 " %" PRIu32, c.number, c.code, c.target, c.times,
         c.start.number, c.start.hops, c.start.remaining, c.start.remaining_at_previous);
  run_command_encode(&c, encoded);
  check_encoded(encoded, sizeof(encoded));
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_probe(void)
{
  struct run_probe probe;

  if(!run_probe_decode(&probe, body, length)) {
    return false;
  }
  printf(" %u %u %u", probe.publisher, probe.number, probe.times);
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_interests(uint16_t from)
{
  struct batch batch = { .size = 0 };
  struct diffusion_interest one;
  unsigned at;

  /* The node has started; input() refuses frames that are no interests. */
  if(!interests_input(from, PUBSUB_EVERYBODY, 1, body, length)) {
    return false;
  }
  for(at = 0; at < length; at += INTEREST_SIZE) {
    interests_decode(&one, body + at);
    printf(" %" PRIu64 " %u %u %u %" PRIu32, one.subject, one.subscriber, one.sequence, one.hops, one.renewal);
    add(&batch, &one);
  }
  check_encoded(batch.body, batch.size);
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_copy(void)
{
  struct pubsub_event event;
  unsigned i;

  if(!copy_decode(&event, body, length)) {
    return false;
  }
  for(i = 0; i < body[0]; i++) {
    printf(" %u", pubsub_get16(body + LIST_SIZE(i)));
  }
  print_event(&event);
  for(i = 0; i < event.contributors; i++) {
    printf(" %u", event.contributor[i].incarnation);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_registration(void)
{
  uint8_t encoded[EVENT_SERVICE_REGISTRATION_MOST];
  struct event_service_registration r;
  unsigned at, i;

  if(!event_service_registration_decode(&r, body, length)) {
    return false;
  }
  printf(" %u %u %" PRIu64, r.what, r.origin, r.event);
  for(at = 0; at < r.terms_length; at += 2 + r.terms[at + 1]) {
    printf(" %u ", r.terms[at]);
    for(i = 0; i < r.terms[at + 1]; i++) {
      printf("%02x", r.terms[at + 2 + i]);
    }
    printf("-");
  }
  check_encoded(encoded, event_service_registration_encode(&r, encoded));
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_bound(void)
{
  bool read;

  if(length < PUBSUB_BOUND_BODY_WHAT_AT) {
    return false;
  }
  printf(" %u", pubsub_get16(body));
  body += PUBSUB_BOUND_BODY_WHAT_AT;
  length -= PUBSUB_BOUND_BODY_WHAT_AT;
  read = print_registration();
  body -= PUBSUB_BOUND_BODY_WHAT_AT;
  return read;
}
/*---------------------------------------------------------------------------*/
static bool
print_bound_event(uint16_t at)
{
  uint8_t encoded[PUBSUB_FRAME_SIZE];
  struct pubsub_event event;
  uint16_t identifier;

  if(!event_service_bound_event_decode(&event, &identifier, body + at, length - at)) {
    return false;
  }
  CHECK_EQUAL(event_service_bound_event_shorten(
                encoded, pubsub_event_encode(&event, encoded, sizeof(encoded)), identifier),
              length - at);
  CHECK(memcmp(encoded, body + at, length - at) == 0);
  event.subject = identifier;
  print_event(&event);
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_bound_delivery(void)
{
  struct event_service_delivery d;
  uint16_t list = event_service_consumers_decode(&d, body, length);
  unsigned i;

  for(i = 0; list > 0 && i < d.consumers; i++) {
    printf(" %u", d.consumer[i]);
  }
  return list > 0 && print_bound_event(list);
}
/*---------------------------------------------------------------------------*/
static bool
print_delivery(void)
{
  uint8_t encoded[PUBSUB_FRAME_SIZE];
  struct event_service_delivery d;
  unsigned i;

  if(!event_service_delivery_decode(&d, body, length)) {
    return false;
  }
  for(i = 0; i < d.consumers; i++) {
    printf(" %u", d.consumer[i]);
  }
  print_event(&d.event);
  check_encoded(encoded, event_service_delivery_encode(&d, encoded, sizeof(encoded)));
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_instruction(void)
{
  uint8_t encoded[EVENT_SERVICE_INSTRUCTION_SIZE];
  struct event_service_instruction i;

  if(!event_service_instruction_decode(&i, body, length)) {
    return false;
  }
  printf(" %u %u %u %u %" PRIu64, i.number, i.target, i.code, i.interval, i.event);
  event_service_instruction_encode(&i, encoded);
  check_encoded(encoded, sizeof(encoded));
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_distributed(void)
{
  uint8_t encoded[DISTRIBUTION_FRAME_BODY];
  struct distribution_frame d;

  if(!distribution_frame_decode(&d, body, length)) {
    return false;
  }
  printf(" %u %u %u %" PRIu32 " %" PRIu32, d.kind, d.task, d.job, d.stamp, d.other);
  distribution_frame_encode(&d, encoded);
  check_encoded(encoded, sizeof(encoded));
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_pulled(void)
{
  struct pubsub_event event;
  uint16_t subscriber;

  if(!pull_dpc_decode(&event, &subscriber, body, length)) {
    return false;
  }
  printf(" %u", subscriber);
  print_event(&event);
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_pulls(void)
{
  uint16_t at;

  if(!pull_dpc_are_pulls(body, length)) {
    return false;
  }
  for(at = 0; at < length; at += PUBSUB_PULL_FIXED_SIZE) {
    printf(" %u %u", pubsub_get16(body + at), pubsub_get16(body + at + 2));
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print_pushed(void)
{
  struct pubsub_event event;
  uint16_t at = 0, size;
  unsigned i;

  do {
    size = push_dpc_decode(&event, body + at, length - at);
    if(size == 0) {
      return false;
    }
    print_event(&event);
    for(i = 0; i < event.contributors; i++) {
      printf(" %u", event.contributor[i].incarnation);
    }
    at += size;
  } while(at < length);
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
print(uint8_t type, uint16_t from)
{
  switch(type) {
  case PUBSUB_FRAME_EVENT:
  case PUBSUB_FRAME_ACKNOWLEDGED_EVENT:
  case PUBSUB_FRAME_PUSH:
    return print_body_event();
  case PUBSUB_FRAME_REGISTRATION:
  case PUBSUB_FRAME_REGISTERED:
    return print_registration();
  case PUBSUB_FRAME_DELIVERY:
    return print_delivery();
  case PUBSUB_FRAME_BOUND:
    return print_bound();
  case PUBSUB_FRAME_BOUND_PUSH:
    return print_bound_event(0);
  case PUBSUB_FRAME_BOUND_DELIVERY:
    return print_bound_delivery();
  case PUBSUB_FRAME_UNBOUND:
    printf(" %u", pubsub_get16(body));
    return length == PUBSUB_UNBOUND_BODY_FIXED_SIZE;
  case PUBSUB_FRAME_ORPHAN:
  case PUBSUB_FRAME_ADOPTION:
    return length == 0;
  case PUBSUB_FRAME_INSTRUCTION:
    return print_instruction();
  case PUBSUB_FRAME_DISTRIBUTED:
    return print_distributed();
  case PUBSUB_FRAME_COMMAND:
    return print_command();
  case PUBSUB_FRAME_PROBE:
  case PUBSUB_FRAME_CONFIRMATION:
    return print_probe();
  case PUBSUB_FRAME_PULLED_EVENT:
    return print_pulled();
  case PUBSUB_FRAME_PULLS:
    return print_pulls();
  case PUBSUB_FRAME_PUSHED_EVENTS:
    return print_pushed();
  case PUBSUB_FRAME_INTERESTS:
    return print_interests(from);
  case PUBSUB_FRAME_DIFFUSED_EVENT:
    return print_copy();
  default:
    return false;
  }
}
/*---------------------------------------------------------------------------*/
int
main(void)
{
  static const struct pubsub_routing_driver none;
  uint8_t whole;
  uint16_t from;
  int next;

  pubsub_routing_init(4, &none, NULL);
  while((next = getchar()) != EOF) {
    whole = next;
    if(fread(frame, 1, whole, stdin) != whole) {
      return 1;
    }
    if(whole < PUBSUB_FRAME_HEADER_SIZE || whole > PUBSUB_FRAME_SIZE
       || PUBSUB_FRAME_TYPE(frame[0]) >= PUBSUB_FRAME_TYPES) {
      printf("refused\n");
      continue;
    }
    length = whole - PUBSUB_FRAME_HEADER_SIZE;
    from = pubsub_get16(frame + PUBSUB_FRAME_SENDER_AT);
    diffusion_gradients_init(diffusion_interests_tell);
    printf("%u %u %u %u", PUBSUB_FRAME_TYPE(frame[0]), from, pubsub_get16(frame + PUBSUB_FRAME_NEXT_HOP_AT),
           pubsub_get16(frame + PUBSUB_FRAME_NUMBER_AT));
    printf("%s\n", print(PUBSUB_FRAME_TYPE(frame[0]), from) ? "" : " refused");
  }
  return 0;
}
