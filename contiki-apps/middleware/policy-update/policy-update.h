/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates of policies while motes run (Russello, Mostarda and Dulay 2011, 4.2):
 * those that are compiled in are loaded, disabled and replaced, and single rules
 * switched, by a line to a mote or over the network to one mote or all.
 *
 *   policy load 2             policy replace 2 3 at all
 *   policy disable 2 at 17    policy rule 2 0 off
 *
 * Each is carried out in its turn, once, and answered. A mote that doesn't answer is
 * asked again, in POLICY_UPDATE_ROUNDS rounds that are ever further apart. Updates are
 * kept in RAM: a mote that lost power has what its image says, until it hears of the
 * updates again and gets them one after the other.
 *
 * With POLICY_UPDATE_CONF_SEALED updates and answers travel as values that the secure
 * group's key seals: who hasn't the key can make none, and one that is replayed is
 * refused. Without, every mote that can send can update.
 *
 * A mote is named by its publisher index, which has to be its id, in an octet.
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

/* Each of these POLICY_UPDATE_X has a POLICY_UPDATE_CONF_X. The largest id of a mote; the
   sender has an octet and a bit for each. */
#ifdef POLICY_UPDATE_CONF_MOTES
#define POLICY_UPDATE_MOTES POLICY_UPDATE_CONF_MOTES
#else
#define POLICY_UPDATE_MOTES 32
#endif
_Static_assert(POLICY_UPDATE_MOTES <= 255, "a mote is named in an octet");

/* Motes whose updates are carried out; those of others are refused. */
#ifdef POLICY_UPDATE_CONF_SENDERS
#define POLICY_UPDATE_SENDERS POLICY_UPDATE_CONF_SENDERS
#else
#define POLICY_UPDATE_SENDERS 2
#endif

/* The last updates that their sender keeps; a mote that was away gets no older ones. */
#ifdef POLICY_UPDATE_CONF_KEPT
#define POLICY_UPDATE_KEPT POLICY_UPDATE_CONF_KEPT
#else
#define POLICY_UPDATE_KEPT 8
#endif

/* A mote answers after this, up to twice that by chance, clock ticks. */
#ifdef POLICY_UPDATE_CONF_ANSWERING
#define POLICY_UPDATE_ANSWERING POLICY_UPDATE_CONF_ANSWERING
#else
#define POLICY_UPDATE_ANSWERING (2 * CLOCK_SECOND)
#endif

/* For how long answers are waited for before the first round of asking, and, doubled each
   time, before the next; between two motes in a round. Clock ticks. */
#ifdef POLICY_UPDATE_CONF_PATIENCE
#define POLICY_UPDATE_PATIENCE POLICY_UPDATE_CONF_PATIENCE
#else
#define POLICY_UPDATE_PATIENCE (6 * CLOCK_SECOND)
#endif
#ifdef POLICY_UPDATE_CONF_GAP
#define POLICY_UPDATE_GAP POLICY_UPDATE_CONF_GAP
#else
#define POLICY_UPDATE_GAP (CLOCK_SECOND / 4)
#endif

/* That many silent motes are asked one by one; more are asked together, and all answer. */
#ifdef POLICY_UPDATE_CONF_FEW
#define POLICY_UPDATE_FEW POLICY_UPDATE_CONF_FEW
#else
#define POLICY_UPDATE_FEW 4
#endif

/* After so many rounds a mote is taken not to answer. */
#ifdef POLICY_UPDATE_CONF_ROUNDS
#define POLICY_UPDATE_ROUNDS POLICY_UPDATE_CONF_ROUNDS
#else
#define POLICY_UPDATE_ROUNDS 4
#endif

/* From then on the last update is told again, for motes that were away, clock ticks. */
#ifdef POLICY_UPDATE_CONF_TELLING
#define POLICY_UPDATE_TELLING POLICY_UPDATE_CONF_TELLING
#else
#define POLICY_UPDATE_TELLING (60 * CLOCK_SECOND)
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

/* The state of a mote and its last update. */
enum policy_update_answer {
  POLICY_UPDATE_SILENT, /* it hasn't answered */
  POLICY_UPDATE_DONE,
  POLICY_UPDATE_REFUSED /* it has no such policy or rule */
};

/* Start on every mote, after policy_manager_init(). They travel by the one driver, which
   carries incarnations (PushDPC), and answers by the other; NULL: by the same. False:
   there is no channel left. */
bool policy_update_init(const struct pubsub_routing_driver *routes,
                        const struct pubsub_routing_driver *answers);

/* Whoever wants to see each that is carried out or refused, for a log; or NULL. */
extern void (*policy_update_seen)(const struct policy_update *update, bool done);

/* Carry one out here. False, and nothing is changed: there is no such policy or rule. */
bool policy_update_apply(const struct policy_update *update);

/* Send one to its target; all motes have it carried out, this one too. Those before it
   that some motes still lack reach them before it does. */
bool policy_update_send(const struct policy_update *update);

/* Of what is sent to everybody, this mote's answer is wanted. Others are given what they
   lack, too, when they answer; they aren't asked. */
void policy_update_await(uint8_t mote);

enum policy_update_answer policy_update_answer_of(uint8_t mote);

/* All whose answers are wanted have answered, or are taken not to: how many; or NULL. */
extern void (*policy_update_settled)(uint8_t done, uint8_t refused, uint8_t silent);

/* A line at the mote's serial port. False: it is none of these. */
bool policy_update_line(const char *line);

#define POLICY_UPDATE_COUNTERS(X) \
  X(updates_done) \
  X(updates_refused) \
  X(updates_malformed) \
  X(updates_not_ours) \
  X(updates_answered) \
  X(updates_repeated) \
  X(updates_unanswered)

struct policy_update_counters {
#define POLICY_UPDATE_COUNTER_FIELD(name) uint16_t name;
  POLICY_UPDATE_COUNTERS(POLICY_UPDATE_COUNTER_FIELD)
#undef POLICY_UPDATE_COUNTER_FIELD
};

extern struct policy_update_counters policy_update_counters;

#endif
