/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "sys/ctimer.h"
#include "configuration.h"
#include "merge-choice.h"
#include "patience.h"
#include "publisher.h"
#include "run-control.h"
#include "topic.h"

static struct merge_attribute merging[2]; /* topic 1, topic 2 */
static struct merge_patience patience;
static struct pubsub_publisher_channel *channel;
static struct publication publication;
static struct ctimer timer;
static uint32_t start;

static void publish(void *unused);
/*---------------------------------------------------------------------------*/
static void
wait_for_next(void)
{
  if(publication_next(&publication, &configuration.publication)) {
    ctimer_set(&timer, run_ticks_until(start + publication.time), publish, NULL);
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
/* Returns the configured merge function, with its time-outs as configured. */
static const struct merge_function *
merge_function(void)
{
  const struct merge_function *merges =
    merge_choice_function(configuration.merge);

  switch(configuration.hold) {
  case HOLD_SHRINKING:
    merge_patience_shrinking(&patience, merges);
    return &patience.function;
  case HOLD_ENDLESS:
    merge_patience_endless(&patience, merges);
    return &patience.function;
  default:
    return merges;
  }
}
/*---------------------------------------------------------------------------*/
static struct pubsub_publisher_channel *
announce(const char *topic, struct merge_attribute *state, uint8_t through)
{
  struct pubsub_attribute *attributes = NULL;

  if(configuration.aggregate) {
    merge_attribute_init(state, merge_function(),
                         configuration.full == FULL_ROUTE
                         ? through : configuration.publishers);
    merge_set_timeout(state, pubsub_ticks(configuration.timeout));
    attributes = &state->attribute;
  }
  return pubsub_announce(pubsub_subject(topic), attributes);
}
/*---------------------------------------------------------------------------*/
void
publisher_initialise(void)
{
  struct pubsub_publisher_channel *second = NULL;

  channel = announce(TOPIC, &merging[0], configuration.publishers_through);
  if(configuration.second_through > 0) {
    second = announce(SECOND_TOPIC, &merging[1], configuration.second_through);
  }
  if(configuration.topic == 2) {
    channel = second;
  }
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
  return merge_pending(&merging[0]) + merge_pending(&merging[1]);
}
