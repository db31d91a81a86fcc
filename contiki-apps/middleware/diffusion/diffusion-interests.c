/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "diffusion-counters.h"
#include "diffusion-gradients.h"
#include "diffusion-interests.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"

#define INTEREST_SIZE PUBSUB_INTEREST_FIXED_SIZE
#define MOST_IN_A_FRAME \
  ((PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE) / INTEREST_SIZE)

/* How often DIFFUSION_ASK_AGAIN is doubled, at most, while there is no way. */
#define MOST_DOUBLINGS 8

static struct ctimer timer;

static bool overhear(uint16_t from, uint16_t next_hop, uint16_t number,
                     const uint8_t *body, uint16_t length);
static struct pubsub_protocol protocol = {
  NULL, PUBSUB_FRAME_INTERESTS, NULL, overhear
};

static void work(void *unused);
/*---------------------------------------------------------------------------*/
static uint32_t
milliseconds(clock_time_t ticks)
{
  uint64_t ms = (uint64_t)ticks * 1000 / CLOCK_SECOND;

  return ms == 0 ? 1 : ms > DIFFUSION_LONGEST_RENEWAL
    ? DIFFUSION_LONGEST_RENEWAL : (uint32_t)ms;
}
/*---------------------------------------------------------------------------*/
/* Interests on their way out, as many in a frame as fit. */
struct batch {
  uint8_t body[MOST_IN_A_FRAME * INTEREST_SIZE];
  uint8_t size; /* bytes */
};
/*---------------------------------------------------------------------------*/
static void
flush(struct batch *batch)
{
  if(batch->size > 0) {
    pubsub_routing_send(PUBSUB_FRAME_INTERESTS, PUBSUB_EVERYBODY, batch->body,
                        batch->size, NULL);
    batch->size = 0;
  }
}
/*---------------------------------------------------------------------------*/
static void
add(struct batch *batch, const struct diffusion_interest *interest)
{
  uint8_t *at;

  if(batch->size == sizeof(batch->body)) {
    flush(batch);
  }
  at = batch->body + batch->size;
  at = pubsub_put32(at, (uint32_t)interest->subject);
  at = pubsub_put32(at, (uint32_t)(interest->subject >> 32));
  at = pubsub_put16(at, interest->subscriber);
  at = pubsub_put16(at, interest->sequence);
  *at++ = interest->hops;
  pubsub_put32(at, interest->renewal);
  batch->size += INTEREST_SIZE;
}
/*---------------------------------------------------------------------------*/
static void
add_own(struct batch *batch, const struct diffusion_topic *topic,
        uint32_t renewal)
{
  struct diffusion_interest interest = {
    topic->subject, pubsub_routing_self(), topic->sequence, 0, renewal
  };

  diffusion_counters.interests_originated++;
  add(batch, &interest);
}
/*---------------------------------------------------------------------------*/
static void
add_others(struct batch *batch, struct diffusion_gradient *gradient)
{
  struct diffusion_interest interest = {
    diffusion_topics[gradient->topic].subject, gradient->subscriber,
    gradient->sequence, gradient->hops, gradient->renewal
  };

  if(!gradient->forward && gradient->asked < MOST_DOUBLINGS) {
    gradient->asked++;
  }
  gradient->forward = false;
  gradient->due = clock_time();
  diffusion_counters.interests_forwarded++;
  add(batch, &interest);
  if(gradient->renewal == 0) {
    diffusion_gradients_free(gradient);
  }
}
/*---------------------------------------------------------------------------*/
static bool
floods(const struct diffusion_topic *topic)
{
  return topic->used && topic->subscriptions > 0;
}
/*---------------------------------------------------------------------------*/
/*
 * When the neighbours are to be told. They are told what is new; that there is
 * still no way, in growing intervals; and, once in each interval of renewal, that
 * the renewal is late: a neighbour that has it hears the old number and tells the
 * new one. Returns false if they are not to be told.
 */
static bool
is_to_be_told(const struct diffusion_gradient *g, clock_time_t *at)
{
  const clock_time_t renewal = pubsub_ticks(g->renewal);
  unsigned i;

  if(g->topic == DIFFUSION_NO_TOPIC || (g->renewal == 0 && !g->forward)) {
    return false;
  }
  if(g->forward) {
    *at = g->due;
    return true;
  }
  if(g->hops == DIFFUSION_NO_WAY) {
    *at = g->due + (DIFFUSION_ASK_AGAIN << g->asked);
    return true;
  }
  for(i = DIFFUSION_RENEWALS - 1; i > 0; i--) {
    *at = g->expires - i * renewal;
    if((clock_time_t)(g->expires - g->due) > (clock_time_t)(i * renewal)) {
      return true; /* the neighbours were last told (`due`) before that */
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
/* The shorter of `wait` and the time until `due`. */
static void
shorten(clock_time_t *wait, clock_time_t due, bool *any)
{
  clock_time_t left = diffusion_has_come(due) ? 0 : due - clock_time();

  if(!*any || left < *wait) {
    *wait = left;
  }
  *any = true;
}
/*---------------------------------------------------------------------------*/
/* Wakes when the first interest is due. */
static void
set_timer(void)
{
  clock_time_t due, wait = 0;
  bool any = false;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_TOPICS; i++) {
    if(floods(&diffusion_topics[i])) {
      shorten(&wait, diffusion_topics[i].due, &any);
    }
  }
  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(is_to_be_told(&diffusion_gradients[i], &due)) {
      shorten(&wait, due, &any);
    }
  }
  if(any) {
    ctimer_set(&timer, wait, work, NULL);
  }
}
/*---------------------------------------------------------------------------*/
/* Sends what is due, together with what is to be sent soon. */
static void
work(void *unused)
{
  struct batch batch = { .size = 0 };
  clock_time_t due;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_TOPICS; i++) {
    struct diffusion_topic *topic = &diffusion_topics[i];
    if(floods(topic) && diffusion_has_come(topic->due - DIFFUSION_JITTER)) {
      /* The time varies, so that two subscribers' interests don't collide every
         time. */
      topic->due = clock_time() + topic->renewal
        - random_rand() % (topic->renewal < DIFFUSION_JITTER
                           ? topic->renewal : DIFFUSION_JITTER);
      topic->sequence++;
      add_own(&batch, topic, milliseconds(topic->renewal));
    }
  }
  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    struct diffusion_gradient *g = &diffusion_gradients[i];
    if(g->forward || (is_to_be_told(g, &due) && diffusion_has_come(due))) {
      add_others(&batch, g);
    }
  }
  flush(&batch);
  set_timer();
}
/*---------------------------------------------------------------------------*/
static void
decode(struct diffusion_interest *interest, const uint8_t *at)
{
  interest->subject = pubsub_get32(at)
    | (pubsub_subject_t)pubsub_get32(at + 4) << 32;
  interest->subscriber = pubsub_get16(at + PUBSUB_INTEREST_SUBSCRIBER_AT);
  interest->sequence = pubsub_get16(at + PUBSUB_INTEREST_SEQUENCE_AT);
  interest->hops = at[PUBSUB_INTEREST_HOPS_AT];
  interest->renewal = pubsub_get32(at + PUBSUB_INTEREST_RENEWAL_AT);
}
/*---------------------------------------------------------------------------*/
static bool
is_sound(const struct diffusion_interest *interest, uint16_t from)
{
  return pubsub_is_mote(interest->subscriber)
    && (interest->hops == 0) == (interest->subscriber == from)
    && (interest->hops < DIFFUSION_MOST_HOPS
        || interest->hops == DIFFUSION_NO_WAY)
    && interest->renewal <= DIFFUSION_LONGEST_RENEWAL;
}
/*---------------------------------------------------------------------------*/
/*
 * A neighbour has lost the way to this node itself, or has missed its last
 * interest. Or it has a number from before this node's boot and would take new
 * ones for old; then this node goes on from that number.
 */
static bool
answer(const struct diffusion_interest *interest)
{
  struct batch batch = { .size = 0 };
  uint8_t topic = diffusion_topic_find(interest->subject);
  int16_t ahead;

  if(topic == DIFFUSION_NO_TOPIC || !floods(&diffusion_topics[topic])) {
    return false;
  }
  ahead = (int16_t)(interest->sequence - diffusion_topics[topic].sequence);
  if(interest->hops != DIFFUSION_NO_WAY && ahead == 0) {
    return false;
  }
  if(ahead > 0) {
    diffusion_topics[topic].sequence = interest->sequence + 1;
  }
  add_own(&batch, &diffusion_topics[topic],
          milliseconds(diffusion_topics[topic].renewal));
  flush(&batch);
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
overhear(uint16_t from, uint16_t next_hop, uint16_t number,
         const uint8_t *body, uint16_t length)
{
  struct diffusion_interest interest;
  uint16_t at;

  if(length == 0 || length % INTEREST_SIZE != 0 || !pubsub_is_mote(from)
     || next_hop != PUBSUB_EVERYBODY) {
    return false;
  }
  for(at = 0; at < length; at += INTEREST_SIZE) {
    decode(&interest, body + at);
    if(!is_sound(&interest, from)) {
      return false;
    }
  }
  pubsub_counters.control_packets_received++;
  for(at = 0; at < length; at += INTEREST_SIZE) {
    decode(&interest, body + at);
    diffusion_counters.interests_received++;
    if(from == pubsub_routing_self()
       || (interest.subscriber == pubsub_routing_self()
           ? !answer(&interest)
           : !diffusion_gradients_learn(&interest, from))) {
      diffusion_counters.interests_duplicate++;
    }
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
  diffusion_topics[topic].due = clock_time() + DIFFUSION_JITTER
    + random_rand() % DIFFUSION_JITTER;
  set_timer();
}
/*---------------------------------------------------------------------------*/
void
diffusion_interests_end(uint8_t topic)
{
  struct batch batch = { .size = 0 };

  diffusion_topics[topic].sequence++;
  add_own(&batch, &diffusion_topics[topic], 0);
  flush(&batch);
}
/*---------------------------------------------------------------------------*/
void
diffusion_interests_tell(struct diffusion_gradient *gradient,
                         clock_time_t jitter)
{
  clock_time_t due = clock_time() + random_rand() % jitter;

  if(!gradient->forward || (clock_time_t)(due - clock_time())
     < (clock_time_t)(gradient->due - clock_time())) {
    gradient->forward = true;
    gradient->due = due;
    set_timer();
  }
}
