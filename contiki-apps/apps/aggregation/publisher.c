/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "sys/ctimer.h"
#include "configuration.h"
#include "mean.h"
#include "publisher.h"
#include "run-control.h"
#include "topic.h"

static struct merge_attribute merging;
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
  uint8_t data[MEAN_DATA_SIZE];

  mean_put(data, publication_value(&publication, &configuration.publication));
  pubsub_publish(channel, data, sizeof(data), PUBSUB_AGGREGATABLE);
  wait_for_next();
}
/*---------------------------------------------------------------------------*/
void
publisher_initialise(void)
{
  struct pubsub_attribute *attributes = NULL;

  if(configuration.aggregate) {
    merge_attribute_init(&merging, &mean_merge_function,
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
