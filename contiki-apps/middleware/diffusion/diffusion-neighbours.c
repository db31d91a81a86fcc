/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "sys/ctimer.h"
#include "diffusion.h"
#include "diffusion-gradients.h"
#include "diffusion-neighbours.h"
#include "pubsub-counters.h"

#include "sys/log.h"
#define LOG_MODULE "Diffusion"
#define LOG_LEVEL LOG_LEVEL_WARN

/* One individual event and a neighbour. */
struct pair {
  uint16_t neighbour; /* PUBSUB_NOBODY: unused */
  uint8_t topic;
  uint8_t publisher;
  uint16_t sequence;
};

struct awaited {
  struct pair pair;
  clock_time_t until;
};

static struct awaited awaited[DIFFUSION_MAX_AWAITED];
static struct pair overheard[DIFFUSION_MAX_OVERHEARD]; /* a ring */
static uint8_t overheard_next;
static struct {
  uint16_t neighbour;
  uint8_t missed; /* 0: unused */
} suspects[DIFFUSION_MAX_SUSPECTS];
static clock_time_t patience = DIFFUSION_PATIENCE;
static struct ctimer timer;

static void look(void *unused);
/*---------------------------------------------------------------------------*/
void
diffusion_neighbours_init(void)
{
  memset(awaited, 0, sizeof(awaited));
  memset(overheard, 0, sizeof(overheard));
  memset(suspects, 0, sizeof(suspects));
  overheard_next = 0;
  ctimer_stop(&timer);
}
/*---------------------------------------------------------------------------*/
void
diffusion_set_patience(clock_time_t ticks)
{
  patience = ticks;
}
/*---------------------------------------------------------------------------*/
void
diffusion_neighbours_forget(uint8_t topic)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_AWAITED; i++) {
    if(awaited[i].pair.topic == topic) {
      awaited[i].pair.neighbour = PUBSUB_NOBODY;
    }
  }
  for(i = 0; i < DIFFUSION_MAX_OVERHEARD; i++) {
    if(overheard[i].topic == topic) {
      overheard[i].neighbour = PUBSUB_NOBODY;
    }
  }
}
/*---------------------------------------------------------------------------*/
/* Whether the pair is of this neighbour and one of the event's contributors. */
static bool
matches(const struct pair *pair, uint16_t neighbour, uint8_t topic,
        const struct pubsub_event *event)
{
  unsigned i;

  if(pair->neighbour != neighbour || pair->topic != topic) {
    return false;
  }
  for(i = 0; i < event->contributors; i++) {
    if(event->contributor[i].publisher == pair->publisher
       && event->contributor[i].sequence == pair->sequence) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
static struct pair
pair_of(uint16_t neighbour, uint8_t topic, const struct pubsub_event *event)
{
  struct pair pair = { neighbour, topic, event->contributor[0].publisher,
                       event->contributor[0].sequence };

  return pair;
}
/*---------------------------------------------------------------------------*/
static void
trust(uint16_t neighbour)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_SUSPECTS; i++) {
    if(suspects[i].neighbour == neighbour) {
      suspects[i].missed = 0;
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
drop(uint16_t neighbour)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_AWAITED; i++) {
    if(awaited[i].pair.neighbour == neighbour) {
      awaited[i].pair.neighbour = PUBSUB_NOBODY;
    }
  }
  trust(neighbour); /* when it comes back, it is judged anew */
  diffusion_counters.neighbours_dropped++;
  diffusion_gradients_drop(neighbour);
}
/*---------------------------------------------------------------------------*/
static void
missed(uint16_t neighbour)
{
  unsigned i, free = DIFFUSION_MAX_SUSPECTS;

  diffusion_counters.forwardings_missed++;
  for(i = 0; i < DIFFUSION_MAX_SUSPECTS; i++) {
    if(suspects[i].missed == 0) {
      free = i;
    } else if(suspects[i].neighbour == neighbour) {
      break;
    }
  }
  if(i == DIFFUSION_MAX_SUSPECTS) {
    if(free == DIFFUSION_MAX_SUSPECTS) {
      pubsub_counters.pool_exhausted++;
      LOG_WARN("no room to suspect neighbour %u\n", (unsigned)neighbour);
      return;
    }
    i = free;
    suspects[i].neighbour = neighbour;
  }
  if(++suspects[i].missed >= DIFFUSION_MOST_MISSED) {
    drop(neighbour);
  }
}
/*---------------------------------------------------------------------------*/
/* Wake when the first forwarding is overdue. */
static void
set_timer(void)
{
  const struct awaited *first = NULL;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_AWAITED; i++) {
    if(awaited[i].pair.neighbour != PUBSUB_NOBODY
       && (first == NULL || (clock_time_t)(awaited[i].until - clock_time())
           < (clock_time_t)(first->until - clock_time()))) {
      first = &awaited[i];
    }
  }
  if(first == NULL) {
    ctimer_stop(&timer);
  } else {
    ctimer_set(&timer, first->until - clock_time(), look, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static void
look(void *unused)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_AWAITED; i++) {
    uint16_t neighbour = awaited[i].pair.neighbour;
    if(neighbour != PUBSUB_NOBODY && diffusion_has_come(awaited[i].until)) {
      awaited[i].pair.neighbour = PUBSUB_NOBODY;
      missed(neighbour);
    }
  }
  set_timer();
}
/*---------------------------------------------------------------------------*/
void
diffusion_neighbours_overheard(uint16_t neighbour, uint8_t topic,
                               const struct pubsub_event *event)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_AWAITED; i++) {
    if(matches(&awaited[i].pair, neighbour, topic, event)) {
      awaited[i].pair.neighbour = PUBSUB_NOBODY;
      trust(neighbour);
    }
  }
  if(event->contributors == 1) {
    overheard[overheard_next] = pair_of(neighbour, topic, event);
    overheard_next = (overheard_next + 1) % DIFFUSION_MAX_OVERHEARD;
  }
}
/*---------------------------------------------------------------------------*/
bool
diffusion_neighbours_has(uint16_t neighbour, uint8_t topic,
                         const struct pubsub_event *event)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_OVERHEARD && event->contributors == 1; i++) {
    if(matches(&overheard[i], neighbour, topic, event)) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
void
diffusion_neighbours_await(uint16_t neighbour, uint8_t topic,
                           const struct pubsub_event *event)
{
  unsigned i;

  look(NULL); /* an overdue one must not look as far ahead as the clock goes */
  for(i = 0; i < DIFFUSION_MAX_AWAITED; i++) {
    if(awaited[i].pair.neighbour == PUBSUB_NOBODY) {
      awaited[i].pair = pair_of(neighbour, topic, event);
      awaited[i].until = clock_time() + patience;
      set_timer();
      return;
    }
  }
  pubsub_counters.pool_exhausted++;
  LOG_WARN("no room to await neighbour %u, raise DIFFUSION_CONF_MAX_AWAITED\n",
           (unsigned)neighbour);
}
