/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include "contiki.h"
#include "lib/list.h"
#include "lib/memb.h"
#include "configuration.h"
#include "delay-histogram.h"
#include "merge-choice.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "run-control.h"
#include "subscriber.h"
#include "topic.h"

#include "sys/log.h"
#define LOG_MODULE "Subscriber"
#define LOG_LEVEL LOG_LEVEL_WARN

/* An event that is older than its publisher's newest by this number can't be
   told from a repeated one. At the high rate that is a minute. */
#define WINDOW 256

struct account {
  struct account *next;
  uint8_t publisher;
  uint16_t newest;            /* sequence number */
  uint8_t seen[WINDOW / 8];   /* bit: sequence number modulo WINDOW */
  uint32_t events, duplicates;
  struct publication publication;
};

MEMB(account_pool, struct account, SUBSCRIBER_MAX_PUBLISHERS);
LIST(accounts);

static uint32_t messages[PUBSUB_MAX_CONTRIBUTORS + 1]; /* by contributors */
static struct delay_histogram delays;
static uint64_t delay_total; /* ms */
static uint32_t unaccounted;
static uint32_t values_wrong; /* event messages */
static uint32_t start;
static bool counting, said_so;
/*---------------------------------------------------------------------------*/
static struct account *
account_of(uint8_t publisher)
{
  struct account *a, *before = NULL;

  for(a = list_head(accounts); a != NULL && a->publisher <= publisher;
      a = list_item_next(a)) {
    if(a->publisher == publisher) {
      return a;
    }
    before = a;
  }
  a = memb_alloc(&account_pool);
  if(a == NULL) {
    pubsub_counters.pool_exhausted++;
    if(!said_so) { /* once: this is every event of that publisher */
      said_so = true;
      LOG_WARN("no account left for publisher %u\n", (unsigned)publisher);
    }
    return NULL;
  }
  memset(a, 0, sizeof(*a));
  a->publisher = publisher;
  publication_begin(&a->publication, publisher);
  list_insert(accounts, before, a);
  return a;
}
/*---------------------------------------------------------------------------*/
enum sighting { FIRST, REPEATED, TOO_OLD };

static enum sighting
see(struct account *a, uint16_t sequence)
{
  uint16_t ahead = sequence - a->newest;
  uint8_t bit = 1 << sequence % 8;
  uint8_t *seen = &a->seen[sequence % WINDOW / 8];

  if(ahead != 0 && ahead < 0x8000) {
    /* The window moves on over numbers that have not been seen yet. */
    if(ahead >= WINDOW) {
      memset(a->seen, 0, sizeof(a->seen));
    } else {
      for(uint16_t s = a->newest + 1; s != sequence; s++) {
        a->seen[s % WINDOW / 8] &= ~(1 << s % 8);
      }
    }
    a->newest = sequence;
    *seen |= bit;
    return FIRST;
  }
  if((uint16_t)(a->newest - sequence) >= WINDOW) {
    return TOO_OLD;
  }
  if(*seen & bit) {
    return REPEATED;
  }
  *seen |= bit;
  return FIRST;
}
/*---------------------------------------------------------------------------*/
static void
count_event(const struct pubsub_contributor *event)
{
  struct account *a = account_of(event->publisher);
  int32_t delay;

  if(a == NULL
     || !publication_seek(&a->publication, event->sequence,
                          &configuration.publication)) {
    unaccounted++;
    return;
  }
  switch(see(a, event->sequence)) {
  case FIRST:
    a->events++;
    delay = (int32_t)(run_now() - start - a->publication.time);
    if(delay < 0) {
      delay = 0; /* clocks agree to a tick or two */
    }
    delay_histogram_add(&delays, delay);
    delay_total += delay;
    break;
  case REPEATED:
    a->duplicates++;
    break;
  case TOO_OLD:
    unaccounted++;
    break;
  }
}
/*---------------------------------------------------------------------------*/
/* Readings are a function of publisher and round, so the right result is
   computed here. */
static void
check_value(const struct pubsub_event *event)
{
  int16_t readings[PUBSUB_MAX_CONTRIBUTORS];
  struct publication of = { 0 };
  unsigned i;

  for(i = 0; i < event->contributors; i++) {
    of.publisher = event->contributor[i].publisher;
    of.round = event->contributor[i].sequence;
    readings[i] = publication_value(&of, &configuration.publication);
  }
  if(!merge_choice_right(configuration.merge, event, readings)) {
    values_wrong++;
  }
}
/*---------------------------------------------------------------------------*/
static void
delivered(const struct pubsub_event *event, uint16_t from, void *context)
{
  unsigned i;

  if(!counting) {
    return;
  }
  messages[event->contributors]++;
  check_value(event);
  for(i = 0; i < event->contributors; i++) {
    count_event(&event->contributor[i]);
  }
}
/*---------------------------------------------------------------------------*/
void
subscriber_initialise(void)
{
  memb_init(&account_pool);
  list_init(accounts);
  pubsub_subscribe(pubsub_subject(TOPIC), delivered, NULL, NULL);
  if(configuration.second_through > 0) {
    pubsub_subscribe(pubsub_subject(SECOND_TOPIC), delivered, NULL, NULL);
  }
}
/*---------------------------------------------------------------------------*/
void
subscriber_start(uint32_t at)
{
  start = at;
  counting = true;
}
/*---------------------------------------------------------------------------*/
void
subscriber_stop(void)
{
  counting = false;
}
/*---------------------------------------------------------------------------*/
int
subscriber_dump(unsigned section)
{
  struct account *a;
  unsigned i;

  switch(section) {
  case 0:
    printf("!cnt,delay_total_ms,%lu\n", (unsigned long)delay_total);
    printf("!cnt,events_unaccounted,%lu\n", (unsigned long)unaccounted);
    /* It is left out if it was always 0, so that older logs stay the same. */
    if(values_wrong > 0 || configuration.merge != MERGE_CHOICE_MEAN) {
      printf("!cnt,values_wrong,%lu\n", (unsigned long)values_wrong);
    }
    for(a = list_head(accounts); a != NULL; a = list_item_next(a)) {
      printf("!from,%u,%lu,%lu\n", (unsigned)a->publisher,
             (unsigned long)a->events, (unsigned long)a->duplicates);
    }
    return 1;
  case 1:
    for(i = 1; i <= PUBSUB_MAX_CONTRIBUTORS; i++) {
      if(messages[i] > 0) {
        printf("!agg,%u,%lu\n", i, (unsigned long)messages[i]);
      }
    }
    return 1;
  case 2:
    for(i = 0; i < DELAY_BUCKETS; i++) {
      if(delays.count[i] > 0) {
        printf("!dly,%lu,%lu\n", (unsigned long)delay_histogram_upper(i),
               (unsigned long)delays.count[i]);
      }
    }
    return 1;
  default:
    return 0;
  }
}
