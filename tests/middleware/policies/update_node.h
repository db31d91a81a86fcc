/* SPDX-License-Identifier: Apache-2.0 */
/* A mote with three policies that are updated. */
#ifndef UPDATE_NODE_H_
#define UPDATE_NODE_H_

#include <string.h>
#include "cpc/cpc.h"
#include "host.h"
#include "policy-update.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "push-dpc/push-dpc.h"
#include "secure-group.h"

struct policy policies[3];
const uint8_t policy_count = 3;
const struct policy_program policy_programs[] = { { NULL, 0, 2 }, { NULL, 0, 1 }, { NULL, 0, 1 } };
const uint64_t policy_subjects[] = { 0 };
const uint8_t policy_topic_count = 1;
const struct policy_topic_id policy_topic_ids[] = { { 0 } };
const struct policy_entry policy_entries[] = { { POLICY_NO_EVENT, NULL, NULL } };
const uint16_t policy_entry_count = 0;
const struct policy_timeout policy_timeouts[] = { { 0 } };
const uint8_t policy_timeout_count = 0;
const struct policy_conflict policy_conflicts[] = { { 0 } };
const uint8_t policy_conflict_count = 0;

static const struct policy_manager_protocols protocols = { &push_dpc_routes, NULL };
/*---------------------------------------------------------------------------*/
static inline void
node(uint16_t self)
{
  static const uint8_t key[16] = "0123456789abcdef";

  host_sent_frames = 0;
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  pubsub_init(self, self, &push_dpc_routes);
  cpc_init(NULL);
  push_dpc_init();
  policy_manager_init(&protocols);
  secure_group_init(self, 1);
  secure_group_set_key(0, key);
  CHECK(policy_update_init(&push_dpc_routes, NULL));
}

#endif
