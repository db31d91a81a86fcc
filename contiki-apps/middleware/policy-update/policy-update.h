/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates of policies while motes run (Russello, Mostarda and Dulay 2011, 4.2):
 * those that are compiled in are loaded, disabled and replaced, and single rules
 * switched, by a line to a mote or over the network to one mote or all.
 *
 *   policy load 2             policy replace 2 3 at all
 *   policy disable 2 at 17    policy rule 2 0 off
 *
 * With POLICY_UPDATE_CONF_SEALED an update travels as two values that the secure
 * group's key seals: who hasn't the key can make none, and one that is replayed is
 * refused. Without, every mote that can send can update.
 */
#ifndef POLICY_UPDATE_H_
#define POLICY_UPDATE_H_

#include "policies/policy-manager.h"

#ifdef POLICY_UPDATE_CONF_SEALED
#define POLICY_UPDATE_SEALED POLICY_UPDATE_CONF_SEALED
#else
#define POLICY_UPDATE_SEALED 0
#endif

/* The number of the key that seals updates. */
#ifdef POLICY_UPDATE_CONF_KEY
#define POLICY_UPDATE_KEY POLICY_UPDATE_CONF_KEY
#else
#define POLICY_UPDATE_KEY SECURE_GROUP_KEY
#endif

enum {
  POLICY_UPDATE_LOAD = 1,
  POLICY_UPDATE_DISABLE,
  POLICY_UPDATE_REPLACE,  /* by `other` */
  POLICY_UPDATE_RULE_ON,  /* rule `other` */
  POLICY_UPDATE_RULE_OFF
};

/* Numbers of policies and rules above this don't fit an update. */
#define POLICY_UPDATE_LARGEST 63

struct policy_update {
  uint16_t target; /* a mote, or PUBSUB_EVERYBODY */
  uint8_t what, policy, other;
};

/* Start on every mote, after policy_manager_init(). They travel by that driver.
   False: there is no channel left. */
bool policy_update_init(const struct pubsub_routing_driver *routes);

/* Whoever wants to see each that is carried out or refused, for a log; or NULL. */
extern void (*policy_update_seen)(const struct policy_update *update, bool done);

/* Carry one out here. False, and nothing is changed: there is no such policy or rule. */
bool policy_update_apply(const struct policy_update *update);

/* Send one to its target; all motes have it carried out, this one too. */
bool policy_update_send(const struct policy_update *update);

/* A line at the mote's serial port. False: it is none of these. */
bool policy_update_line(const char *line);

#define POLICY_UPDATE_COUNTERS(X) \
  X(updates_done) \
  X(updates_refused) \
  X(updates_malformed) \
  X(updates_not_ours)

struct policy_update_counters {
#define POLICY_UPDATE_COUNTER_FIELD(name) uint16_t name;
  POLICY_UPDATE_COUNTERS(POLICY_UPDATE_COUNTER_FIELD)
#undef POLICY_UPDATE_COUNTER_FIELD
};

extern struct policy_update_counters policy_update_counters;

#endif
