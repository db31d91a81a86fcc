/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "diffusion-counters.h"
#include "diffusion-flows.h"
#include "diffusion-gradients.h"
#include "pubsub-counters.h"
#include "pubsub-routing.h"

#include "sys/log.h"
#define LOG_MODULE "Diffusion"
#define LOG_LEVEL LOG_LEVEL_WARN

/* Sets of gradients are bits of a number. */
_Static_assert(DIFFUSION_MAX_GRADIENTS <= 32, "too many gradients");

struct diffusion_topic diffusion_topics[DIFFUSION_MAX_TOPICS];
struct diffusion_gradient diffusion_gradients[DIFFUSION_MAX_GRADIENTS];

static diffusion_gradients_tell_t tell;
/*---------------------------------------------------------------------------*/
void
diffusion_gradients_init(diffusion_gradients_tell_t to_tell)
{
  unsigned i;

  tell = to_tell;
  memset(diffusion_topics, 0, sizeof(diffusion_topics));
  memset(diffusion_gradients, 0, sizeof(diffusion_gradients));
  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    diffusion_gradients[i].topic = DIFFUSION_NO_TOPIC;
  }
}
/*---------------------------------------------------------------------------*/
void
diffusion_gradients_free(struct diffusion_gradient *gradient)
{
  gradient->topic = DIFFUSION_NO_TOPIC;
}
/*---------------------------------------------------------------------------*/
/* Whether the gradient is in use; one that has expired is freed now. */
static bool
is_alive(struct diffusion_gradient *gradient)
{
  if(gradient->topic == DIFFUSION_NO_TOPIC) {
    return false;
  }
  if(diffusion_has_come(gradient->expires)) {
    diffusion_counters.gradients_expired++;
    diffusion_gradients_free(gradient);
    return false;
  }
  return true;
}
/*---------------------------------------------------------------------------*/
/* Frees a topic that has no channel here and no subscriber elsewhere. */
static bool
is_left(uint8_t topic)
{
  unsigned i;

  if(diffusion_topics[topic].channels > 0) {
    return false;
  }
  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(is_alive(&diffusion_gradients[i])
       && diffusion_gradients[i].topic == topic) {
      return false;
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
uint8_t
diffusion_topic_find(pubsub_subject_t subject)
{
  uint8_t i;

  for(i = 0; i < DIFFUSION_MAX_TOPICS; i++) {
    if(diffusion_topics[i].used && diffusion_topics[i].subject == subject) {
      return i;
    }
  }
  return DIFFUSION_NO_TOPIC;
}
/*---------------------------------------------------------------------------*/
uint8_t
diffusion_topic_get(pubsub_subject_t subject)
{
  uint8_t i = diffusion_topic_find(subject);

  if(i != DIFFUSION_NO_TOPIC) {
    return i;
  }
  for(i = 0; i < DIFFUSION_MAX_TOPICS; i++) {
    if(!diffusion_topics[i].used || is_left(i)) {
      memset(&diffusion_topics[i], 0, sizeof(diffusion_topics[i]));
      diffusion_topics[i].used = true;
      diffusion_topics[i].subject = subject;
      diffusion_flows_forget(i);
      return i;
    }
  }
  pubsub_counters.pool_exhausted++;
  LOG_WARN("no room for a topic, raise DIFFUSION_CONF_MAX_TOPICS\n");
  return DIFFUSION_NO_TOPIC;
}
/*---------------------------------------------------------------------------*/
struct diffusion_gradient *
diffusion_gradients_find(uint8_t topic, uint16_t subscriber)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    struct diffusion_gradient *g = &diffusion_gradients[i];
    if(is_alive(g) && g->topic == topic && g->subscriber == subscriber) {
      return g;
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
uint32_t
diffusion_gradients_of(uint8_t topic)
{
  uint32_t found = 0;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    struct diffusion_gradient *g = &diffusion_gradients[i];
    /* A withdrawn gradient only remains until its withdrawal has been sent on. */
    if(is_alive(g) && g->topic == topic && g->renewal > 0) {
      found |= (uint32_t)1 << i;
    }
  }
  return found;
}
/*---------------------------------------------------------------------------*/
static struct diffusion_gradient *
allocate(const struct diffusion_interest *interest)
{
  uint8_t topic = diffusion_topic_get(interest->subject);
  unsigned i;

  if(topic == DIFFUSION_NO_TOPIC) {
    return NULL;
  }
  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    struct diffusion_gradient *g = &diffusion_gradients[i];
    if(!is_alive(g)) {
      memset(g, 0, sizeof(*g));
      g->topic = topic;
      g->subscriber = interest->subscriber;
      g->sequence = interest->sequence - 1;
      return g;
    }
  }
  pubsub_counters.pool_exhausted++;
  LOG_WARN("no gradient left of %u\n", (unsigned)DIFFUSION_MAX_GRADIENTS);
  return NULL;
}
/*---------------------------------------------------------------------------*/
uint16_t
diffusion_gradients_next_hop(const struct diffusion_gradient *g)
{
  const struct diffusion_way *way = diffusion_ways_best(g->way, g->hops);

  return way != NULL ? way->neighbour : PUBSUB_NOBODY;
}
/*---------------------------------------------------------------------------*/
bool
diffusion_gradients_is_best(const struct diffusion_gradient *g,
                            uint16_t neighbour)
{
  const struct diffusion_way *best = diffusion_ways_best(g->way, g->hops);
  int i = diffusion_ways_find(g->way, neighbour);

  return best != NULL && i >= 0 && g->way[i].age == best->age
    && g->way[i].hops == best->hops;
}
/*---------------------------------------------------------------------------*/
void
diffusion_gradients_lose(struct diffusion_gradient *g)
{
  if(g->renewal > 0 && g->hops != DIFFUSION_NO_WAY) {
    diffusion_counters.ways_lost++;
    g->hops = DIFFUSION_NO_WAY;
    g->asked = 0;
    memset(g->way, 0, sizeof(g->way));
    tell(g, DIFFUSION_REPAIR_JITTER);
  }
}
/*---------------------------------------------------------------------------*/
static void
check(struct diffusion_gradient *g)
{
  if(diffusion_ways_best(g->way, g->hops) == NULL) {
    diffusion_gradients_lose(g);
  }
}
/*---------------------------------------------------------------------------*/
/* The interest is newer: the ways by which it has not come yet grow old. */
static void
renew(struct diffusion_gradient *g, const struct diffusion_interest *interest)
{
  uint16_t missed = interest->sequence - g->sequence;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_WAYS && g->way[i].neighbour != 0;) {
    if(interest->renewal == 0
       || g->way[i].age + missed > DIFFUSION_SILENT_RENEWALS) {
      diffusion_ways_remove(g->way, i);
    } else {
      g->way[i++].age += missed;
    }
  }
  g->sequence = interest->sequence;
  g->renewal = interest->renewal;
  g->hops = interest->hops + 1;
  /* A withdrawn gradient (renewal 0) remains until its withdrawal has been sent on. */
  g->expires = clock_time() + DIFFUSION_RENEWALS * pubsub_ticks(interest->renewal)
    + DIFFUSION_LATE;
  g->forward = false;
  if(g->hops < DIFFUSION_MOST_HOPS) {
    tell(g, DIFFUSION_JITTER);
  }
}
/*---------------------------------------------------------------------------*/
/* The best way is by another neighbour, or has another distance than before. */
static void
compare(struct diffusion_gradient *g, const struct diffusion_interest *interest,
        uint16_t from)
{
  if(g->hops != DIFFUSION_NO_WAY) {
    diffusion_ways_learn(g->way, from, interest->hops, diffusion_gradients_have);
    /* A node that has not told its distance yet may be nearer than it thought. */
    if(g->forward && interest->hops + 1 < g->hops) {
      g->hops = interest->hops + 1;
    }
    check(g); /* the only way may have become too long */
  } else if(!g->forward && interest->hops + 1 < DIFFUSION_MOST_HOPS) {
    /*
     * All have heard that there is no way here, so this way can be taken, even if
     * the neighbour has not got the newest number yet.
     */
    g->sequence = interest->sequence;
    diffusion_ways_learn(g->way, from, interest->hops, diffusion_gradients_have);
    if(g->way[0].neighbour != PUBSUB_NOBODY) {
      g->hops = interest->hops + 1;
      diffusion_counters.ways_found++;
      tell(g, DIFFUSION_REPAIR_JITTER);
    }
  }
}
/*---------------------------------------------------------------------------*/
/* The neighbour has no way: a node that has another one tells it. */
static void
lost(struct diffusion_gradient *g, uint16_t from)
{
  diffusion_gradients_remove(g, from);
  if(g->renewal > 0 && g->hops != DIFFUSION_NO_WAY) {
    tell(g, DIFFUSION_REPAIR_JITTER);
  }
}
/*---------------------------------------------------------------------------*/
bool
diffusion_gradients_learn(const struct diffusion_interest *interest,
                          uint16_t from)
{
  uint8_t topic = diffusion_topic_find(interest->subject);
  struct diffusion_gradient *g = NULL;

  if(topic != DIFFUSION_NO_TOPIC) {
    g = diffusion_gradients_find(topic, interest->subscriber);
  }
  if(interest->hops == DIFFUSION_NO_WAY) {
    if(g != NULL) {
      lost(g, from);
    }
    return false;
  }
  if(g == NULL && interest->renewal > 0) {
    g = allocate(interest);
  }
  if(g == NULL) {
    return false;
  }
  if((int16_t)(interest->sequence - g->sequence) > 0) {
    renew(g, interest);
    if(g->renewal > 0) {
      diffusion_ways_learn(g->way, from, interest->hops, diffusion_gradients_have);
      check(g);
    }
    return true;
  }
  if(g->renewal == 0 || interest->renewal == 0) {
    return false;
  }
  if(interest->sequence == g->sequence || g->hops == DIFFUSION_NO_WAY) {
    compare(g, interest, from);
  } else {
    tell(g, DIFFUSION_REPAIR_JITTER); /* it missed one */
  }
  return false;
}
/*---------------------------------------------------------------------------*/
void
diffusion_gradients_remove(struct diffusion_gradient *g, uint16_t neighbour)
{
  int i = diffusion_ways_find(g->way, neighbour);

  if(i >= 0) {
    diffusion_ways_remove(g->way, i);
    check(g);
  }
}
/*---------------------------------------------------------------------------*/
void
diffusion_gradients_drop(uint16_t neighbour)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(is_alive(&diffusion_gradients[i])) {
      diffusion_gradients_remove(&diffusion_gradients[i], neighbour);
    }
  }
}
/*---------------------------------------------------------------------------*/
bool
diffusion_gradients_have(uint16_t neighbour)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(is_alive(&diffusion_gradients[i])
       && diffusion_ways_find(diffusion_gradients[i].way, neighbour) >= 0) {
      return true;
    }
  }
  return false;
}
