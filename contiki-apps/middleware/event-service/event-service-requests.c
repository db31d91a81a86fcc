/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "event-service.h"
#include "event-service-output.h"
#include "event-service-renewal.h"
#include "event-service-requests.h"

/* The time until a frame that found the send buffer full is tried again. */
#define SOON (CLOCK_SECOND / 100 > 0 ? CLOCK_SECOND / 100 : 1)

static struct request {
  struct event_service_registration registration; /* what 0: free */
  struct ctimer timer;
  uint8_t tries; /* since it, or the parent, is there */
} requests[EVENT_SERVICE_REQUESTS];
/*---------------------------------------------------------------------------*/
/* Are these for one end of a mote's connection to an event? Then the later one replaces the
   earlier. */
static bool
same_end(const struct event_service_registration *a,
         const struct event_service_registration *b)
{
  return a->origin == b->origin && a->event == b->event && a->what % 2 == b->what % 2;
}
/*---------------------------------------------------------------------------*/
static bool
same(const struct event_service_registration *a, const struct event_service_registration *b)
{
#if EVENT_SERVICE_TERMS > 0
  if(a->terms_length != b->terms_length || memcmp(a->terms, b->terms, a->terms_length) != 0) {
    return false;
  }
#endif
  return a->what == b->what;
}
/*---------------------------------------------------------------------------*/
static struct request *
find(const struct event_service_registration *registration)
{
  struct request *request;

  for(request = requests; request < requests + EVENT_SERVICE_REQUESTS; request++) {
    if(request->registration.what != 0 && same_end(&request->registration, registration)) {
      return request;
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static struct request *
free_one(void)
{
  struct request *request;

  for(request = requests; request < requests + EVENT_SERVICE_REQUESTS; request++) {
    if(request->registration.what == 0) {
      return request;
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static void __attribute__((noinline)) /* it is smaller so */
end(struct request *request)
{
  request->registration.what = 0;
  ctimer_stop(&request->timer);
}
/*---------------------------------------------------------------------------*/
static void
attempt(void *ptr)
{
  struct request *request = ptr;
  uint8_t body[EVENT_SERVICE_REGISTRATION_MOST];
  uint16_t size = event_service_registration_encode(&request->registration, body);
  clock_time_t again = SOON;

  if(event_service_place.parent == PUBSUB_NOBODY) {
    if(event_service_uart_send(PUBSUB_FRAME_REGISTRATION, body, size)) {
      request->registration.what = 0;
      return;
    }
  } else if(event_service_send(PUBSUB_FRAME_REGISTRATION, event_service_place.parent,
                               body, size, NULL)) {
    event_service_counters.registrations_sent++;
    event_service_counters.registrations_repeated += request->tries > 0;
    if(request->tries++ == EVENT_SERVICE_TRIES) {
      request->tries = EVENT_SERVICE_TRIES;
      event_service_parent_silent();
    }
    /* Adds up to half the time, so that two requests that collided don't collide for
       ever. */
    again = event_service_place.retry + random_rand() % (event_service_place.retry / 2 + 1);
  }
  ctimer_set(&request->timer, again, attempt, request);
}
/*---------------------------------------------------------------------------*/
bool
event_service_request(const struct event_service_registration *registration)
{
  struct request *request = find(registration);

  if(request != NULL && same(&request->registration, registration)) {
    return true;
  }
  if(request == NULL) {
    request = free_one();
  }
  if(request == NULL) {
    return false;
  }
  request->registration = *registration;
  request->tries = 0;
  /* It isn't sent at once, because the acknowledgement to the mote that asked needs the
     send buffer first. */
  ctimer_set(&request->timer, SOON, attempt, request);
  return true;
}
/*---------------------------------------------------------------------------*/
#if EVENT_SERVICE_TERMS > 0
bool
event_service_request_offers(pubsub_subject_t event)
{
  struct request *request;

  for(request = requests; request < requests + EVENT_SERVICE_REQUESTS; request++) {
    if(request->registration.what == EVENT_SERVICE_ADVERTISE
       && request->registration.event == event && request->registration.terms_length > 0) {
      return true;
    }
  }
  return false;
}
#endif
/*---------------------------------------------------------------------------*/
void
event_service_request_done(const struct event_service_registration *registration)
{
  struct request *request = find(registration);

  if(request != NULL && same(&request->registration, registration)) {
    end(request);
    event_service_counters.registrations_acknowledged++;
  }
}
/*---------------------------------------------------------------------------*/
#if EVENT_SERVICE_RENEWAL
void
event_service_requests_again(void)
{
  unsigned i;

  for(i = 0; i < EVENT_SERVICE_REQUESTS; i++) {
    if(requests[i].registration.what != 0) {
      requests[i].tries = 0;
      ctimer_set(&requests[i].timer, SOON * (i + 1), attempt, &requests[i]);
    }
  }
}
/*---------------------------------------------------------------------------*/
#endif
/* A mote that gets another image starts anew, and its timers may be running. */
void
event_service_requests_init(void)
{
  struct request *request;

  for(request = requests; request < requests + EVENT_SERVICE_REQUESTS; request++) {
    end(request);
  }
}
