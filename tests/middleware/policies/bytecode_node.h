/* SPDX-License-Identifier: Apache-2.0 */
/* A mote with a place for a policy in bytecode, and two programs. */
#ifndef BYTECODE_NODE_H_
#define BYTECODE_NODE_H_

#include <stdio.h>
#include <string.h>
#include "cpc/cpc.h"
#include "host.h"
#include "policy-bytecode-instructions.h"
#include "policy-bytecode-spread.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "push-dpc/push-dpc.h"

#define I(name) POLICY_BYTECODE_##name
enum { TEMPERATURE = 1, ALARM, TOPICS };

const uint64_t policy_subjects[] = { 0, 0x6169720000000000, 0x616c61726d000000 };
const uint8_t policy_topic_count = TOPICS;
const struct policy_topic_id policy_topic_ids[] = { { 0x8f09, ALARM }, { 0xc540, TEMPERATURE } };
struct policy policies[2];
const uint8_t policy_count = 2;
const struct policy_program policy_programs[] = { { NULL, 0, 1 }, { policy_bytecode_start, 0, 0 } };
const uint8_t policy_bytecode_number = 1;
const uint16_t policy_bytecode_fingerprint = 0xf235;

static unsigned compiled_in, called;
/*---------------------------------------------------------------------------*/
static enum policy_outcome
on_event(struct policy *self, struct policy_event *event)
{
  compiled_in++;
  return POLICY_ACCEPT;
}
/*---------------------------------------------------------------------------*/
static int32_t
called_with(const int32_t *arguments)
{
  called += arguments[0];
  return 7;
}

const struct policy_bytecode_function policy_bytecode_functions[] = { { called_with, 1 } };
const uint8_t policy_bytecode_function_count = 1;
const struct policy_entry policy_entries[] = {
  { POLICY_EVENT(POLICY_POINT(POLICY_C_B, POLICY_NOTIFY), ALARM), on_event, &policies[0] },
  { POLICY_NO_EVENT, NULL, NULL }
};
const uint16_t policy_entry_count = 1;
const struct policy_timeout policy_timeouts[] = { { 900, POLICY_IDLE, on_event, &policies[0] } };
const uint8_t policy_timeout_count = 1;
const struct policy_conflict policy_conflicts[] = { { 0 } };
const uint8_t policy_conflict_count = 0;

static const struct policy_manager_protocols protocols = { &push_dpc_routes, NULL };
static struct pubsub_publisher_channel *temperature;

/* Discards temperatures above a limit, a cell whose first value is 50. */
#define LIMITED(limit) { \
  1, 0x35, 0xf2, 1, 2, \
  POLICY_POINT(POLICY_C_B, POLICY_NOTIFY), TEMPERATURE, 13, 0, I(START), 0, 24, 0, \
  I(ARGUMENT), POLICY_BYTECODE_OF_INT << 5, I(LOAD), 0, I(AT_MOST), I(UNLESS), 2, I(ACCEPT), 0, \
  I(DISCARD), 0, \
  I(PUSH8), limit, I(STORE), 0, I(ACCEPT), 0 \
}
static const uint8_t fifty[] = LIMITED(50), thirty[] = LIMITED(30);
/*---------------------------------------------------------------------------*/
static inline void
node(uint16_t self)
{
  host_sent_frames = 0;
  compiled_in = called = 0;
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  pubsub_init(self, self, &push_dpc_routes);
  cpc_init(NULL);
  push_dpc_init();
  policy_manager_init(&protocols);
  CHECK(policy_bytecode_spread_init(&push_dpc_routes));
  temperature = pubsub_announce(policy_subjects[TEMPERATURE], NULL);
}
/*---------------------------------------------------------------------------*/
static inline bool
publish(int32_t number)
{
  struct policy_value value = policy_number_value(number);
  uint8_t data[PUBSUB_MAX_DATA];

  return pubsub_publish(temperature, data, policy_manager_encode(data, &value, 1), 0);
}
/*---------------------------------------------------------------------------*/
static inline enum policy_bytecode_verdict
give(const uint8_t *program, uint16_t length)
{
  memcpy(policy_bytecode_place(), program, length);
  return policy_bytecode_take(length);
}
/*---------------------------------------------------------------------------*/
static inline bool
takes(int32_t least, int32_t most)
{
  return publish(least) && publish(most) && !publish(most + 1);
}

#endif
