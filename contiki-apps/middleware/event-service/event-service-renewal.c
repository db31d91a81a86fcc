/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "event-service.h"
#include "event-service-binding.h"
#include "event-service-output.h"
#include "event-service-renewal.h"
#include "event-service-requests.h"
#include "event-service-up.h"

#if EVENT_SERVICE_RENEWAL
struct event_service_renewal_counters event_service_renewal_counters;

/* A mote can supply and consume each of its events. */
static struct event_service_registration own[2 * EVENT_SERVICE_CHANNELS]; /* what 0: free */
static struct ctimer renewal_timer, search_timer;
static bool searching;
static clock_time_t search_wait;
/*---------------------------------------------------------------------------*/
void
event_service_renewal_note(const struct event_service_registration *registration)
{
  int place = -1, i;

  for(i = 0; i < 2 * EVENT_SERVICE_CHANNELS; i++) {
    if(own[i].what != 0 && own[i].event == registration->event
       && own[i].what % 2 == registration->what % 2) {
      place = i;
      break;
    }
    if(own[i].what == 0 && place < 0) {
      place = i;
    }
  }
  if(place < 0) {
    return;
  }
  own[place] = *registration;
  if(registration->what != EVENT_SERVICE_ADVERTISE
     && registration->what != EVENT_SERVICE_SUBSCRIBE) {
    own[place].what = 0;
  }
}
/*---------------------------------------------------------------------------*/
void
event_service_renew(pubsub_subject_t event)
{
  unsigned i;

  for(i = 0; i < 2 * EVENT_SERVICE_CHANNELS; i++) {
    if(own[i].what != 0 && (event == 0 || own[i].event == event)) {
      event_service_renewal_counters.registrations_renewed +=
        event_service_up_register(&own[i]);
    }
  }
}
/*---------------------------------------------------------------------------*/
static void renew_all(void *nothing);

static void
wait_to_renew(void)
{
  clock_time_t renewal = event_service_place.renewal;

  ctimer_set(&renewal_timer, renewal + random_rand() % (renewal / 8 + 1), renew_all, NULL);
}
/*---------------------------------------------------------------------------*/
static void
renew_all(void *nothing)
{
  event_service_renew(0);
  wait_to_renew();
}
/*---------------------------------------------------------------------------*/
static void
send_without_body(uint8_t type, uint16_t next_hop)
{
  static const uint8_t no_body[1]; /* no octets can be copied from nowhere */

  event_service_send(type, next_hop, no_body, 0, NULL);
}
/*---------------------------------------------------------------------------*/
/* Asks less and less often, as often as it renews at last. */
static void
search(void *nothing)
{
  send_without_body(PUBSUB_FRAME_ORPHAN, PUBSUB_EVERYBODY);
  ctimer_set(&search_timer, search_wait + random_rand() % (search_wait / 2 + 1), search, NULL);
  search_wait = 2 * search_wait < event_service_place.renewal
    ? 2 * search_wait : event_service_place.renewal;
}
/*---------------------------------------------------------------------------*/
void
event_service_parent_silent(void)
{
  if(event_service_place.renewal > 0 && !searching) {
    searching = true;
    search_wait = event_service_place.retry;
    event_service_renewal_counters.parents_silent++;
    search(NULL);
  }
}
/*---------------------------------------------------------------------------*/
void
event_service_parent_heard(void)
{
  if(searching) {
    searching = false;
    ctimer_stop(&search_timer);
    event_service_requests_again();
  }
}
/*---------------------------------------------------------------------------*/
bool
event_service_orphan_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  if(length == 0 && event_service_place.parent == PUBSUB_NOBODY) {
    send_without_body(PUBSUB_FRAME_ADOPTION, from);
  }
  return length == 0;
}
/*---------------------------------------------------------------------------*/
bool
event_service_adoption_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  if(length == 0 && searching) {
    if(from != event_service_place.parent) {
      printf("event-service: mote %u is the parent instead of %u\n", (unsigned)from,
             (unsigned)event_service_place.parent);
      event_service_renewal_counters.parents_found++;
      event_service_place.parent = from;
#if EVENT_SERVICE_BINDINGS > 0
      event_service_binding_forget_parent();
#endif
    }
    event_service_parent_heard();
  }
  return length == 0;
}
/*---------------------------------------------------------------------------*/
void
event_service_renewal_init(void)
{
  searching = false;
  ctimer_stop(&search_timer);
  ctimer_stop(&renewal_timer);
  if(event_service_place.renewal > 0) {
    wait_to_renew();
  }
}
#endif
