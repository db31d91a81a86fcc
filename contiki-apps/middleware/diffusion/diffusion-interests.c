/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "diffusion.h"
#include "diffusion-gradients.h"
#include "diffusion-interests.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"

#define TYPE_INTEREST 5
#define INTEREST_SIZE (8 + 2 + 2 + 1 + 4)

static struct ctimer timer;

static bool overhear(uint16_t from, uint16_t next_hop, uint16_t number,
                     const uint8_t *body, uint16_t length);
static struct pubsub_protocol protocol = {
  NULL, TYPE_INTEREST, NULL, overhear
};

static void work(void *unused);
/*---------------------------------------------------------------------------*/
static clock_time_t
jitter(void)
{
  return random_rand() % DIFFUSION_JITTER;
}
/*---------------------------------------------------------------------------*/
static uint32_t
milliseconds(clock_time_t ticks)
{
  uint64_t ms = (uint64_t)ticks * 1000 / CLOCK_SECOND;

  return ms == 0 ? 1 : ms > DIFFUSION_LONGEST_RENEWAL
    ? DIFFUSION_LONGEST_RENEWAL : (uint32_t)ms;
}
/*---------------------------------------------------------------------------*/
static void
send(const struct diffusion_interest *interest)
{
  uint8_t body[INTEREST_SIZE];
  uint8_t *at = body;

  at = octets_put32(at, (uint32_t)interest->subject);
  at = octets_put32(at, (uint32_t)(interest->subject >> 32));
  at = octets_put16(at, interest->subscriber);
  at = octets_put16(at, interest->sequence);
  *at++ = interest->hops;
  octets_put32(at, interest->renewal);
  pubsub_routing_send(TYPE_INTEREST, PUBSUB_EVERYBODY, body, sizeof(body),
                      NULL);
}
/*---------------------------------------------------------------------------*/
static void
send_own(struct diffusion_topic *topic, uint32_t renewal)
{
  struct diffusion_interest interest = {
    topic->subject, pubsub_routing_self(), ++topic->sequence, 0, renewal
  };

  diffusion_counters.interests_originated++;
  send(&interest);
}
/*---------------------------------------------------------------------------*/
static void
send_on(struct diffusion_gradient *gradient)
{
  struct diffusion_interest interest = {
    diffusion_topics[gradient->topic].subject, gradient->subscriber,
    gradient->sequence, gradient->hops, gradient->renewal
  };

  gradient->forward = false;
  diffusion_counters.interests_forwarded++;
  send(&interest);
  if(gradient->renewal == 0) {
    diffusion_gradients_free(gradient);
  }
}
/*---------------------------------------------------------------------------*/
/* The shorter of `wait` and the time until `due`, which has not come yet. */
static void
shorten(clock_time_t *wait, clock_time_t due, bool *any)
{
  clock_time_t left = due - clock_time();

  if(!*any || left < *wait) {
    *wait = left;
  }
  *any = true;
}
/*---------------------------------------------------------------------------*/
/* Send what is due; wake when the next one is. */
static void
work(void *unused)
{
  clock_time_t wait = 0;
  bool any = false;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_TOPICS; i++) {
    struct diffusion_topic *topic = &diffusion_topics[i];
    if(!topic->used || topic->subscriptions == 0) {
      continue;
    }
    if(diffusion_has_come(topic->due)) {
      topic->due = clock_time() + topic->renewal;
      send_own(topic, milliseconds(topic->renewal));
    }
    shorten(&wait, topic->due, &any);
  }
  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    struct diffusion_gradient *gradient = &diffusion_gradients[i];
    if(gradient->topic == DIFFUSION_NO_TOPIC || !gradient->forward) {
      continue;
    }
    if(diffusion_has_come(gradient->due)) {
      send_on(gradient);
    } else {
      shorten(&wait, gradient->due, &any);
    }
  }
  if(any) {
    ctimer_set(&timer, wait, work, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static bool
overhear(uint16_t from, uint16_t next_hop, uint16_t number,
         const uint8_t *body, uint16_t length)
{
  struct diffusion_interest interest;
  struct diffusion_gradient *gradient;

  if(length != INTEREST_SIZE || next_hop != PUBSUB_EVERYBODY) {
    return false;
  }
  interest.subject = octets_get32(body)
    | (pubsub_subject_t)octets_get32(body + 4) << 32;
  interest.subscriber = octets_get16(body + 8);
  interest.sequence = octets_get16(body + 10);
  interest.hops = body[12];
  interest.renewal = octets_get32(body + 13);
  if(from == PUBSUB_NOBODY || from >= PUBSUB_SEVERAL
     || interest.subscriber == PUBSUB_NOBODY
     || interest.subscriber >= PUBSUB_SEVERAL
     || (interest.hops == 0) != (interest.subscriber == from)
     || interest.hops >= DIFFUSION_MOST_HOPS
     || interest.renewal > DIFFUSION_LONGEST_RENEWAL) {
    return false;
  }
  pubsub_counters.control_packets_received++;
  diffusion_counters.interests_received++;
  if(from == pubsub_routing_self()
     || interest.subscriber == pubsub_routing_self()) {
    diffusion_counters.interests_duplicate++;
    return true;
  }
  gradient = diffusion_gradients_learn(&interest, from);
  if(gradient == NULL) {
    diffusion_counters.interests_duplicate++;
  } else if(interest.hops + 1 < DIFFUSION_MOST_HOPS) {
    gradient->forward = true;
    gradient->due = clock_time() + jitter();
    ctimer_set(&timer, 0, work, NULL);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
void
diffusion_interests_init(void)
{
  ctimer_stop(&timer);
  pubsub_routing_add_protocol(&protocol);
}
/*---------------------------------------------------------------------------*/
void
diffusion_interests_begin(uint8_t topic)
{
  diffusion_topics[topic].due = clock_time() + jitter();
  ctimer_set(&timer, 0, work, NULL);
}
/*---------------------------------------------------------------------------*/
void
diffusion_interests_end(uint8_t topic)
{
  send_own(&diffusion_topics[topic], 0);
}
