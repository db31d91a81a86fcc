/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "diffusion.h"
#include "diffusion-flows.h"
#include "diffusion-gradients.h"
#include "diffusion-neighbours.h"
#include "pubsub-counters.h"

#include "sys/log.h"
#define LOG_MODULE "Diffusion"
#define LOG_LEVEL LOG_LEVEL_WARN

struct diffusion_topic diffusion_topics[DIFFUSION_MAX_TOPICS];
struct diffusion_gradient diffusion_gradients[DIFFUSION_MAX_GRADIENTS];
/*---------------------------------------------------------------------------*/
void
diffusion_gradients_init(void)
{
  unsigned i;

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
/* Whether it is in use; one whose time is over is freed now. */
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
/* Nobody's any more: no channel here, no subscriber elsewhere. */
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
      diffusion_neighbours_forget(i);
      return i;
    }
  }
  pubsub_counters.pool_exhausted++;
  LOG_WARN("no room for a topic, raise DIFFUSION_CONF_MAX_TOPICS\n");
  return DIFFUSION_NO_TOPIC;
}
/*---------------------------------------------------------------------------*/
static struct diffusion_gradient *
find(uint8_t topic, uint16_t subscriber)
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
/* Close the gap of a way that is gone, so that older ones stay in front. */
static void
remove_way(struct diffusion_gradient *g, unsigned i)
{
  memmove(&g->way[i], &g->way[i + 1],
          (DIFFUSION_MAX_WAYS - 1 - i) * sizeof(g->way[0]));
  memset(&g->way[DIFFUSION_MAX_WAYS - 1], 0, sizeof(g->way[0]));
}
/*---------------------------------------------------------------------------*/
static bool
is_better(const struct diffusion_way *a, const struct diffusion_way *b)
{
  return a->age != b->age ? a->age < b->age : a->hops < b->hops;
}
/*---------------------------------------------------------------------------*/
static void
learn_way(struct diffusion_gradient *g, uint16_t from, uint8_t hops)
{
  const struct diffusion_way new = { from, hops, 0 };
  unsigned i, worst = 0;

  for(i = 0; i < DIFFUSION_MAX_WAYS && g->way[i].neighbour != 0; i++) {
    if(g->way[i].neighbour == from) {
      remove_way(g, i);
      i--;
    } else if(!is_better(&g->way[i], &g->way[worst])) {
      worst = i;
    }
  }
  if(i == DIFFUSION_MAX_WAYS) {
    if(!is_better(&new, &g->way[worst])) {
      return;
    }
    remove_way(g, worst);
    i--;
  }
  g->way[i] = new;
}
/*---------------------------------------------------------------------------*/
/* A newer interest: the ways it has not come by yet grow old. */
static void
renew(struct diffusion_gradient *g, const struct diffusion_interest *interest)
{
  uint16_t missed = interest->sequence - g->sequence;
  clock_time_t renewal;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_WAYS && g->way[i].neighbour != 0;) {
    if(interest->renewal == 0
       || g->way[i].age + missed > DIFFUSION_SILENT_RENEWALS) {
      remove_way(g, i);
    } else {
      g->way[i++].age += missed;
    }
  }
  g->sequence = interest->sequence;
  g->renewal = interest->renewal;
  g->hops = interest->hops + 1;
  renewal = (clock_time_t)((uint64_t)interest->renewal * CLOCK_SECOND / 1000);
  /* A withdrawn one lives until it was sent on. */
  g->expires = clock_time() + DIFFUSION_RENEWALS * renewal
    + 2 * DIFFUSION_JITTER;
}
/*---------------------------------------------------------------------------*/
struct diffusion_gradient *
diffusion_gradients_learn(const struct diffusion_interest *interest,
                          uint16_t from)
{
  uint8_t topic = diffusion_topic_find(interest->subject);
  struct diffusion_gradient *g = NULL;
  bool is_newer;

  if(topic != DIFFUSION_NO_TOPIC) {
    g = find(topic, interest->subscriber);
  }
  if(g == NULL && interest->renewal > 0) {
    g = allocate(interest);
  }
  if(g == NULL) {
    return NULL;
  }
  is_newer = (int16_t)(interest->sequence - g->sequence) > 0;
  if(is_newer) {
    renew(g, interest);
  } else if(interest->sequence != g->sequence) {
    return NULL;
  }
  if(g->renewal > 0) {
    learn_way(g, from, interest->hops);
    /* Once told to the neighbours, a distance must not change: they chose by it. */
    if((is_newer || g->forward) && interest->hops + 1 < g->hops) {
      g->hops = interest->hops + 1;
    }
  }
  return is_newer ? g : NULL;
}
/*---------------------------------------------------------------------------*/
void
diffusion_gradients_drop(uint16_t neighbour)
{
  unsigned i, k;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    struct diffusion_gradient *g = &diffusion_gradients[i];
    for(k = 0; k < DIFFUSION_MAX_WAYS; k++) {
      if(g->way[k].neighbour == neighbour) {
        remove_way(g, k);
        break;
      }
    }
  }
}
/*---------------------------------------------------------------------------*/
/*
 * The best way but those of neighbours that are further away than this node was
 * when it told its distance: these may have chosen this node.
 */
static const struct diffusion_way *
best_way(const struct diffusion_gradient *g)
{
  const struct diffusion_way *best = NULL;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_WAYS && g->way[i].neighbour != 0; i++) {
    if(g->way[i].hops <= g->hops
       && (best == NULL || is_better(&g->way[i], best))) {
      best = &g->way[i];
    }
  }
  return best;
}
/*---------------------------------------------------------------------------*/
uint8_t
diffusion_gradients_hops(uint8_t topic, uint16_t from,
                         struct diffusion_hop *hops)
{
  uint8_t count = 0, k;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    struct diffusion_gradient *g = &diffusion_gradients[i];
    const struct diffusion_way *way;
    if(!is_alive(g) || g->topic != topic) {
      continue;
    }
    way = best_way(g);
    if(way == NULL || way->neighbour == from) {
      continue;
    }
    for(k = 0; k < count && hops[k].neighbour != way->neighbour; k++);
    if(k == count) {
      hops[count].neighbour = way->neighbour;
      hops[count++].forwards = false;
    }
    if(g->subscriber != way->neighbour) {
      hops[k].forwards = true;
    }
  }
  return count;
}
