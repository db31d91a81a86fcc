/* SPDX-License-Identifier: Apache-2.0 */
/* A mote with hand-written policies between its components and the network. */
#ifndef MANAGED_NODE_H_
#define MANAGED_NODE_H_

#include <string.h>
#include "configured-routes.h"
#include "cpc/cpc.h"
#include "host.h"
#include "policy-manager.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "pull-dpc/pull-dpc.h"
#include "push-dpc/push-dpc.h"
#include "sampling-buffer.h"

enum { ALARM = 1, HEARD, TEMPERATURE, TOPICS };
enum { FIRST, SECOND, THIRD, TIMED, POLICIES };

const uint64_t policy_subjects[] = {
  0, 0x616c61726d000000, 0x6865617264000000, 0x74656d7000000000
};
const uint8_t policy_topic_count = TOPICS;
const struct policy_topic_id policy_topic_ids[] = {
  { 0x8eb0, HEARD }, { 0x8f09, ALARM }, { 0xb8ed, TEMPERATURE }
};

struct policy policies[POLICIES];
const uint8_t policy_count = POLICIES;

/* The answers that the policies give, and the operations of which they were told. */
static enum policy_outcome say[POLICIES];
static unsigned told[POLICIES], started, timed_out;
static uint8_t enters; /* the state that an event of time leads to, if it isn't 0 */
static struct policy_event last;
static void (*act)(struct policy *self, struct policy_event *event);

static unsigned got, got_length;
static uint8_t got_data[PUBSUB_MAX_DATA];
/*---------------------------------------------------------------------------*/
static enum policy_outcome
on_event(struct policy *self, struct policy_event *event)
{
  told[self - policies]++;
  last = *event;
  if(act != NULL) {
    act(self, event);
  }
  return say[self - policies];
}
/*---------------------------------------------------------------------------*/
static enum policy_outcome
on_time(struct policy *self, struct policy_event *event)
{
  CHECK_EQUAL(event->point, POLICY_POINT_TIME);
  CHECK_EQUAL(event->count, 0);
  if(self->state != 1) {
    timed_out++;
  }
  if(enters != 0) {
    self->state = enters;
  }
  return POLICY_ACCEPT;
}
/*---------------------------------------------------------------------------*/
static void
first_values(void)
{
  started++;
}

const struct policy_program policy_programs[] = {
  { first_values, 3, 2 }, { NULL, 0, 1 }, { NULL, 0, 1 }, { NULL, 0, 1 }
};

/* An event at a point, and a policy that is asked about it. */
#define ENTRY(direction, operation, topic, policy) \
  { POLICY_EVENT(POLICY_POINT(direction, operation), topic), on_event, &policies[policy] }

const struct policy_entry policy_entries[] = {
  ENTRY(POLICY_C_B, POLICY_NOTIFY, ALARM, FIRST),
  ENTRY(POLICY_C_B, POLICY_NOTIFY, ALARM, SECOND),
  ENTRY(POLICY_C_B, POLICY_NOTIFY, TEMPERATURE, FIRST),
  ENTRY(POLICY_C_B, POLICY_NOTIFY, TEMPERATURE, SECOND),
  ENTRY(POLICY_C_B, POLICY_NOTIFY, TEMPERATURE, THIRD),
  ENTRY(POLICY_C_B, POLICY_ADVERTISE, HEARD, FIRST),
  ENTRY(POLICY_C_B, POLICY_SUBSCRIBE, HEARD, FIRST),
  ENTRY(POLICY_C_B, POLICY_UNADVERTISE, HEARD, FIRST),
  ENTRY(POLICY_C_B, POLICY_UNSUBSCRIBE, HEARD, FIRST),
  ENTRY(POLICY_B_C, POLICY_NOTIFY, HEARD, FIRST),
  ENTRY(POLICY_B_EXTB, POLICY_NOTIFY, HEARD, SECOND),
  ENTRY(POLICY_B_EXTB, POLICY_SUBSCRIBE, HEARD, THIRD),
  ENTRY(POLICY_EXTB_B, POLICY_NOTIFY, HEARD, THIRD),
  ENTRY(POLICY_EXTB_B, POLICY_SUBSCRIBE, ALARM, THIRD),
  { POLICY_NO_EVENT, NULL, NULL }
};
const uint16_t policy_entry_count = sizeof(policy_entries) / sizeof(policy_entries[0]) - 1;

const struct policy_timeout policy_timeouts[] = {
  { 5000, POLICY_IDLE, on_time, &policies[TIMED] },
  { 700, POLICY_IN_STATE, on_time, &policies[SECOND] },
};
const uint8_t policy_timeout_count = 2;

/* Tests change it, so that one program has all strategies; it is therefore not const. */
static struct policy_conflict conflict;
extern const struct policy_conflict policy_conflicts[1] __attribute__((alias("conflict")));
const uint8_t policy_conflict_count = 1;

static const struct policy_manager_protocols protocols = { &push_dpc_routes, NULL };
static struct pubsub_publisher_channel *temperature, *alarms;
/*---------------------------------------------------------------------------*/
static inline void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  got++;
  got_length = event->length;
  memcpy(got_data, event->data, event->length);
}
/*---------------------------------------------------------------------------*/
static inline void
node(unsigned loaded)
{
  unsigned i;

  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  configured_routes_set(3);
  configured_routes_add_neighbour(5);
  pubsub_init(4, 4, &configured_routes);
  cpc_init(NULL);
  push_dpc_init();
  pull_dpc_init();
  policy_manager_init(&protocols);
  sampling_buffer_init();
  temperature = pubsub_announce(policy_subjects[TEMPERATURE], NULL);
  alarms = pubsub_announce(policy_subjects[ALARM], NULL);
  for(i = 0; i < POLICIES; i++) {
    say[i] = POLICY_ACCEPT;
    told[i] = 0;
    if(loaded >> i & 1) {
      policy_manager_load(i);
    }
  }
  act = NULL;
  enters = 0;
  host_sent_frames = got = timed_out = 0;
  conflict = (struct policy_conflict) { 0 };
  policy_conflict_charge = NULL;
}
/*---------------------------------------------------------------------------*/
static inline bool
publish(struct pubsub_publisher_channel *channel, int32_t number)
{
  struct policy_value value = policy_number_value(number);
  uint8_t data[PUBSUB_MAX_DATA];
  uint8_t length = policy_manager_encode(data, &value, 1);

  return pubsub_publish(channel, data, length, 0);
}
/*---------------------------------------------------------------------------*/
/* HEARD comes from mote 5, with a number. */
static inline void
hear(int32_t number)
{
  static uint16_t sequence;
  struct pubsub_contributor one = { 9, ++sequence };
  struct pubsub_event event = host_make(policy_subjects[HEARD], 0, 1, &one);
  struct policy_value value = policy_number_value(number);

  event.flags = 0;
  event.length = policy_manager_encode(event.data, &value, 1);
  host_receive_event(&event, 5, 4);
}

#endif
