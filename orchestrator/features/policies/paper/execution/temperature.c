/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A temperature sensor's component publishes readings. With MANAGED, a policy decides
 * which go on and how; without, the component does, in code of its own.
 */
#include <string.h>
#include "contiki.h"
#include "cpc/cpc.h"
#include "mote.h"
#include "pubsub.h"
#include "pull-dpc/pull-dpc.h"
#include "push-dpc/push-dpc.h"
#include "sampling-buffer.h"
#if MANAGED
#include "policies-generated.h"
#include "policies/policy-manager.h"
#else
#include "pubsub-octets.h"
#endif

/* The driver's settings, as Figure 18's policy gets them. */
#define TARGET 0
#define DELTA 0

static struct pubsub_publisher_channel *channel;
/*---------------------------------------------------------------------------*/
#if MANAGED
/* The component knows nothing of how its readings travel. */
static void
publish(int16_t reading)
{
  struct policy_value value = policy_number_value(reading);
  uint8_t data[PUBSUB_MAX_DATA];

  pubsub_publish(channel, data, policy_manager_encode(data, &value, 1), 0);
}
#else
/* The component itself does what the policy does. */
static void
publish(int16_t reading)
{
  uint8_t data[PUBSUB_MAX_DATA];

#if PULLED
  if(!sampling_buffer_deviate_or_zero(reading, TARGET, DELTA)) {
    return;
  }
  pubsub_put16(data, reading);
  pubsub_publish_by(&pull_dpc_routes, channel, data, 2, 0);
#else
  if(reading < 50) {
    return;
  }
  pubsub_put16(data, reading);
  pubsub_publish_by(&push_dpc_routes, channel, data, 2, PUBSUB_RELIABLE);
#endif
}
#endif
/*---------------------------------------------------------------------------*/
void
measure(void)
{
  static const int16_t readings[] = READINGS;
  unsigned i;
#if MANAGED
  static const struct policy_manager_protocols protocols = { &push_dpc_routes, &pull_dpc_routes };
#endif

  pubsub_init(4, 4, &push_dpc_routes);
  cpc_init(NULL);
  push_dpc_init();
  pull_dpc_init();
  sampling_buffer_init();
#if MANAGED
  policy_manager_init(&protocols);
  for(i = 0; i < policy_count; i++) {
    policy_manager_load(i);
  }
#endif
  channel = pubsub_announce(SUBJECT, NULL);
#if PULLED
  const uint8_t pull[] = {
    0x1e, 9, 0, 0xff, 0xff, 1, 0, 9, 0,
    pubsub_subject_id(SUBJECT) & 0xff, pubsub_subject_id(SUBJECT) >> 8
  };
  hear(pull, sizeof(pull));
#endif
  for(i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
    run_timers();
    began();
    publish(readings[i]);
    run_timers();
    ended();
  }
}
