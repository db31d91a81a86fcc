/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "sys/ctimer.h"
#include "configuration.h"
#include "merge-choice.h"
#include "patience.h"
#include "publisher.h"
#include "run-control.h"
#include "topic.h"

static struct merge_attribute merging;
static struct patience patience;
static struct pubsub_publisher_channel *channel;
static struct publication publication;
static struct ctimer timer;
static uint32_t start;

static void publish(void *unused);
/*---------------------------------------------------------------------------*/
static void
wait_for_next(void)
{
  int32_t left;

  if(publication_next(&publication, &configuration.publication)) {
    left = (int32_t)(start + publication.time - run_now());
    ctimer_set(&timer, left > 0
               ? (clock_time_t)((uint64_t)left * CLOCK_SECOND / 1000) : 0,
               publish, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static void
publish(void *unused)
{
  uint8_t data[PUBSUB_MAX_DATA];
  uint8_t length;

  length = merge_choice_put(configuration.merge, data,
                            publication_value(&publication,
                                              &configuration.publication));
  pubsub_publish(channel, data, length, PUBSUB_AGGREGATABLE);
  wait_for_next();
}
/*---------------------------------------------------------------------------*/
/* The configured merge function, its time-outs as configured. */
static const struct merge_function *
merge_function(void)
{
  const struct merge_function *merges =
    merge_choice_function(configuration.merge);

  switch(configuration.hold) {
  case HOLD_SHRINKING:
    patience_shrinking(&patience, merges);
    return &patience.function;
  case HOLD_ENDLESS:
    patience_endless(&patience, merges);
    return &patience.function;
  default:
    return merges;
  }
}
/*---------------------------------------------------------------------------*/
void
publisher_initialise(void)
{
  struct pubsub_attribute *attributes = NULL;

  if(configuration.aggregate) {
    merge_attribute_init(&merging, merge_function(),
                         configuration.full == FULL_ROUTE
                         ? configuration.publishers_through
                         : configuration.publishers);
    merge_set_timeout(&merging, (clock_time_t)
                      ((uint64_t)configuration.timeout * CLOCK_SECOND / 1000));
    attributes = &merging.attribute;
  }
  channel = pubsub_announce(pubsub_subject(TOPIC), attributes);
}
/*---------------------------------------------------------------------------*/
void
publisher_start(uint32_t at)
{
  if(channel != NULL && configuration.index != 0) {
    start = at;
    publication_begin(&publication, configuration.index);
    wait_for_next();
  }
}
/*---------------------------------------------------------------------------*/
uint8_t
publisher_pending(void)
{
  return merge_pending(&merging);
}
