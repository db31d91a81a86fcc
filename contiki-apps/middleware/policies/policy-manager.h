/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy manager (Russello, Mostarda and Dulay 2011, 3.2 and 4.2): asks the
 * policies of a mote about each operation that passes an enforcement point of
 * pubsub (pubsub-enforcement.h), as Figure 8 says: each policy takes its first rule
 * that matches, all outcomes are collected, and a conflict goes to the conflict
 * manager. Policies of which none has a rule that matches accept, as no policy at
 * all does; that is counted.
 *
 *   pubsub_init(self, index, &routes);
 *   policy_manager_init(&protocols);
 *   policy_manager_load(POLICY_FATEMPPOLICY);
 */
#ifndef POLICY_MANAGER_H_
#define POLICY_MANAGER_H_

#include <stdbool.h>
#include <stdint.h>
#include "policies/policy.h"
#include "pubsub-routing.h"

/* Bytes of operations that wait for the present event's policies to be asked: 6 and
   the arguments of each. */
#ifdef POLICY_MANAGER_CONF_QUEUE
#define POLICY_MANAGER_QUEUE POLICY_MANAGER_CONF_QUEUE
#else
#define POLICY_MANAGER_QUEUE 64
#endif

/* Operations that follow from one event, so that every chain of them ends. */
#define POLICY_MANAGER_MOST_OPERATIONS 8

/* The diffusion protocols; one that isn't linked is NULL. */
struct policy_manager_protocols {
  const struct pubsub_routing_driver *push, *pull;
};

/* The event that policies are being asked about. */
struct policy_manager_present {
  uint16_t number; /* goes round */
  uint8_t topic;
};
extern struct policy_manager_present policy_manager_present;

/* Start with no policy loaded, after pubsub_init(). `protocols` must stay, and isn't NULL. */
void policy_manager_init(const struct policy_manager_protocols *protocols);

/*
 * Write values as an event's data: of each its kind and size in an octet, then the
 * number little-endian in 1, 2 or 4 octets, a float in 4, or the octets of a sealed
 * value. Returns the bytes, 0 if they don't fit PUBSUB_MAX_DATA.
 */
uint8_t policy_manager_encode(uint8_t *data, const struct policy_value *values, uint8_t count);

/* Read values; how many there are in `count`. False if the data isn't wholly such;
   those before the fault are read. */
bool policy_manager_decode(struct policy_value *values, uint8_t *count,
                           const uint8_t *data, uint8_t length);

/* The topic's number of a subject; 0: no policy has it. */
uint8_t policy_manager_topic(pubsub_subject_t subject);

/* --- Compiled-in policies, by number. False: no such policy. --- */

/* From its initial state and values on, also if it was loaded already. */
bool policy_manager_load(uint8_t policy);
bool policy_manager_disable(uint8_t policy);
/* The one is disabled and the other loaded, or nothing is changed. */
bool policy_manager_replace(uint8_t policy, uint8_t by);
bool policy_manager_is_loaded(uint8_t policy);
#if POLICY_SWITCHED_RULES
bool policy_manager_switch_rule(uint8_t policy, uint8_t rule, bool on);
#endif

/* --- What the other files of this module share --- */

/* The linked policies, as given to policy_manager_init(). */
extern const struct policy_manager_protocols *policy_manager_linked;

/* The routing driver that a `with` list chooses; one that isn't linked is counted,
   and it is `otherwise`. */
const struct pubsub_routing_driver *
policy_manager_routes(uint8_t with, const struct pubsub_routing_driver *otherwise);

/* A policy's flag: it is asked. */
#define POLICY_LOADED 1

/* Events are told of by their number; an event begins. */
void policy_manager_begin(struct policy_event *event, uint8_t point, uint8_t topic);

/* Ask one policy; whatever its rules do is done, its operations wait. */
enum policy_outcome policy_manager_ask(struct policy *policy, policy_handler_t handler,
                                       struct policy_event *event);

/* The policy that is being asked; NULL: none. */
struct policy *policy_manager_asked(void);

/* The first entry of an event, or, if it has none, one of another event. */
const struct policy_entry *policy_manager_first_entry(uint16_t event);

/* Figure 8, from the first entry of the event on, without one policy or NULL. True:
   accept. */
bool policy_manager_execute(struct policy_event *event, const struct policy_entry *first,
                            const struct policy *without);

/* Operations of actions: policy-operations.c. */
void policy_operations_init(void);
/* The policy whose operation passes its C-B point, once; it isn't asked about it. */
const struct policy *policy_operations_take_raiser(void);
/* Carry out those that wait. */
void policy_operations_carry_out(void);

/* The events of time: policy-timeouts.c. There was an event; a policy entered a state,
   its first one if it is loaded. */
void policy_timeouts_init(void);
void policy_timeouts_event(void);
void policy_timeouts_begin(const struct policy *policy, bool is_loaded);

/* The conflict manager: policy-conflict.c. True: accept. */
bool policy_conflict_accepts(const struct policy_event *event,
                             uint8_t accepts, uint8_t discards);

/* What POLICY_STRATEGY_BATTERY asks, an application's extension: percent of the
   charge that is left. NULL: unknown, which decides as the default strategy. */
extern uint8_t (*policy_conflict_charge)(void);

#if POLICY_BYTECODE
/* The policy in bytecode: policy-bytecode/. Its entry for an event; false: it has none. */
bool policy_bytecode_entry(uint8_t point, uint8_t topic, struct policy_entry *entry);
/* Its time-out of that clock; its period is 0 if it has none. */
const struct policy_timeout *policy_bytecode_timeout(uint8_t clock);
#endif

/* Whoever wants to see, for a log; costs a comparison as long as it is NULL. */
struct policy_manager_observer {
  void (*asked)(uint8_t policy, const struct policy_event *event,
                enum policy_outcome outcome, uint8_t state);
  void (*decided)(const struct policy_event *event, uint8_t accepts,
                  uint8_t discards, bool accepted);
};
extern const struct policy_manager_observer *policy_manager_observer;

#define POLICY_MANAGER_COUNTERS(X) \
  X(policy_events) \
  X(policy_accepted) \
  X(policy_discarded) \
  X(policy_conflicts_met) \
  X(policy_no_rule) \
  X(policy_timeouts_fired) \
  X(policy_operations) \
  X(policy_not_advertised) \
  X(policy_not_linked) \
  X(policy_too_long)

struct policy_manager_counters {
#define POLICY_MANAGER_COUNTER_FIELD(name) uint16_t name;
  POLICY_MANAGER_COUNTERS(POLICY_MANAGER_COUNTER_FIELD)
#undef POLICY_MANAGER_COUNTER_FIELD
};

extern struct policy_manager_counters policy_manager_counters;
extern uint16_t policy_manager_faults[POLICY_FAULTS];

#endif
