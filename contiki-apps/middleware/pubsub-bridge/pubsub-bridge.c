/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "dev/serial-line.h"
#include "event-service-frames.h"
#include "event-service-output.h"
#include "event-terms.h"
#include "pubsub-bridge.h"

/* Its subscription has a term of three bytes. */
#if EVENT_SERVICE_TERMS >= 3

/* The time until a subscription that found the send buffer full is tried again. */
#define SOON (CLOCK_SECOND / 100 > 0 ? CLOCK_SECOND / 100 : 1)

static pubsub_subject_t bridged;
static bool from_gateway; /* the event that is being delivered came from there */
static struct ctimer timer;

PROCESS(pubsub_bridge_process, "Publish/subscribe bridge");
/*---------------------------------------------------------------------------*/
static void
up(const struct pubsub_event *event, uint16_t from, void *context)
{
  uint8_t body[PUBSUB_FRAME_SIZE];
  uint16_t length;

  if(from_gateway) {
    return;
  }
  length = pubsub_event_encode(event, body, PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE);
  event_service_uart_send(PUBSUB_FRAME_EVENT, body, length);
}
/*---------------------------------------------------------------------------*/
static void
want(void *nothing)
{
  const struct event_service_registration registration = {
    .what = EVENT_SERVICE_SUBSCRIBE, .origin = event_service_place.mote, .event = bridged,
    .terms_length = 3, .terms = { EVENT_TERMS_BRIDGE, 1, 1 }
  };
  uint8_t body[EVENT_SERVICE_REGISTRATION_MOST];
  uint16_t length = event_service_registration_encode(&registration, body);

  if(!event_service_uart_send(PUBSUB_FRAME_REGISTRATION, body, length)) {
    ctimer_set(&timer, SOON, want, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static void
take(const char *line)
{
  uint8_t body[PUBSUB_FRAME_SIZE], type;
  struct pubsub_event event;
  uint16_t length;

  if(!event_service_uart_read(line, &type, body, &length)) {
    return;
  }
  if(type != PUBSUB_FRAME_EVENT || !pubsub_event_decode(&event, body, length)
     || event.subject != bridged) {
    event_service_counters.uart_frames_malformed++;
    return;
  }
  from_gateway = true;
  pubsub_routing_input(NULL, &event, PUBSUB_NOBODY, 0);
  from_gateway = false;
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(pubsub_bridge_process, ev, data)
{
  PROCESS_BEGIN();

  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message && data != NULL);
    take(data);
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
bool
pubsub_bridge_start(const struct event_service_place *place, pubsub_subject_t subject,
                    bool wanted)
{
  event_service_place = *place;
  bridged = subject;
  event_service_output_init();
  process_start(&pubsub_bridge_process, NULL);
  if(pubsub_subscribe(subject, up, NULL, NULL) == NULL) {
    return false;
  }
  if(wanted) {
    want(NULL);
  }
  return true;
}
#endif
