/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiled form of a policy: the declarations that the compiler's C (orchestrate
 * policy compile) uses and defines, and those that the policy manager reads and offers.
 *
 * A policy (Russello, Mostarda and Dulay 2011, section 4) is a state machine. For
 * each event on which it has rules it has one function, which takes the first rule
 * of the present state whose condition holds, executes its action, enters its new
 * state and returns its outcome.
 */
#ifndef POLICY_H_
#define POLICY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "policy-arithmetic.h"
#include "policy-conf.h"
#include "policy-values.h"

/* The result of one policy's rules for one event. */
enum policy_outcome {
  POLICY_NO_RULE, /* none had the present state and a condition that held */
  POLICY_ACCEPT,
  POLICY_DISCARD
};

/* Whence and whither an operation goes (Figure 6), and the two events of time. */
enum policy_direction {
  POLICY_C_B,     /* from a component to its broker */
  POLICY_B_C,     /* from the broker to a component */
  POLICY_B_EXTB,  /* from the broker to those of other motes */
  POLICY_EXTB_B   /* from another mote's broker */
};

enum policy_operation {
  POLICY_NOTIFY,
  POLICY_ADVERTISE,
  POLICY_SUBSCRIBE,
  POLICY_UNADVERTISE,
  POLICY_UNSUBSCRIBE
};

/* The place of an event that an enforcement point sends. */
#define POLICY_POINT(direction, operation) ((uint8_t)((direction) << 3 | (operation)))
#define POLICY_POINT_DIRECTION(point) ((point) >> 3)
#define POLICY_POINT_OPERATION(point) ((point) & 7)
#define POLICY_POINT_TIME POLICY_POINT(4, 0) /* that of a time-out */

/* What an operation goes `with`: bits, several of which may be set; 0 is the broker's default. */
enum policy_with {
  POLICY_WITH_PUSH_DPC = 0x01,
  POLICY_WITH_PULL_DPC = 0x02,
  POLICY_WITH_RELIABLE_CPC = 0x04,
  POLICY_WITH_UNRELIABLE_CPC = 0x08
  /* 0x10 to 0x80: a user's own extensions */
};

/* A publish/subscribe operation on its way past an enforcement point. */
struct policy_event {
  uint8_t point;
  uint8_t topic;  /* the compiler's number; 0: a time-out, which has none */
  uint8_t with;   /* extensions that `accept with ...` chose; the last policy that chooses wins */
  uint8_t count;  /* of arguments */
  bool changed;   /* `accept (...)` set the arguments */
  struct policy_value arguments[POLICY_ARGUMENTS]; /* `accept (...)` changes them in place */
};

/* The mutable state of a policy; its variables are statics of its own file. */
struct policy {
  uint8_t state;
  uint8_t flags; /* the manager's: POLICY_LOADED */
#if POLICY_SWITCHED_RULES
  uint32_t disabled; /* rules that are switched off, by their number in the policy */
#endif
};

/*
 * Whether a rule may be taken. Costs nothing unless the application wants single
 * rules switched; rules from number 32 on can't be.
 */
#if POLICY_SWITCHED_RULES
#define POLICY_RULE(policy, rule) ((rule) > 31 || !((policy)->disabled >> ((rule) & 31) & 1))
#else
#define POLICY_RULE(policy, rule) true
#endif

typedef enum policy_outcome (*policy_handler_t)(struct policy *self, struct policy_event *event);

/* --- What the compiler defines: the policies that are linked into this firmware --- */

/* The subjects of topics by their number, of which 0 is none's, and how many there are
   with it; ordered, so that one is found in few steps. */
extern const uint64_t policy_subjects[];
extern const uint8_t policy_topic_count;

/* The topics but none's, ordered by what a pull message knows of a subject. */
struct policy_topic_id {
  uint16_t id; /* pubsub_subject_id() */
  uint8_t topic;
};
extern const struct policy_topic_id policy_topic_ids[];

/* Names of policies and topics in logs, by their numbers; in a file of its own, which
   only a firmware with such a log need link. */
extern const char *const policy_names[];
extern const char *const policy_topic_names[];

/* Key of an event in tables; POLICY_NO_EVENT is no event's key. */
#define POLICY_EVENT(point, topic) ((uint16_t)((point) << 8 | (topic)))
#define POLICY_NO_EVENT 0xffff

/* One policy that has rules for one event. */
struct policy_entry {
  uint16_t event;
  policy_handler_t handler;
  struct policy *policy;
};

/* Ordered by event, then policy, so that an event costs its own policies only. One of
   POLICY_NO_EVENT, which isn't counted, follows the last. */
extern const struct policy_entry policy_entries[];
extern const uint16_t policy_entry_count;

/* Clock ticks of that many ms, or a little longer: a time-out never comes early. */
#define POLICY_TICKS(ms) \
  ((clock_time_t)(ms) / 1000 * CLOCK_SECOND + ((clock_time_t)(ms) % 1000 * CLOCK_SECOND + 999) / 1000)

enum policy_clock {
  POLICY_IDLE,    /* on timeout(t): no publish/subscribe event at this mote for that long (4.1.1) */
  POLICY_IN_STATE /* on timer(t): the policy has been in its state for that long (5.3) */
};

/* A time-out of a policy. The handler of a timer has rules for some states only. */
struct policy_timeout {
  clock_time_t period; /* 0: it never comes */
  enum policy_clock clock;
  policy_handler_t handler;
  struct policy *policy;
};

extern const struct policy_timeout policy_timeouts[];
extern const uint8_t policy_timeout_count;

struct policy_program {
  void (*start)(void); /* gives its variables their first values; NULL: it has none */
  uint8_t initial;     /* state */
  uint8_t rules;       /* their number; 255: that or more */
};

/* The policies by number; `policy_programs[i]` belongs to `policies[i]`. */
extern const struct policy_program policy_programs[];
extern struct policy policies[];
extern const uint8_t policy_count;

/* How a conflict between policies on an event is decided (4.2). */
enum policy_strategy {
  POLICY_STRATEGY_DEFAULT,  /* discard if one says discard */
  POLICY_STRATEGY_TOLERATE, /* accept if less than `value` percent say discard */
  POLICY_STRATEGY_TABLE,    /* `value` is the outcome */
  POLICY_STRATEGY_BATTERY   /* discard if less than `value` percent of the charge is left, else as if default */
};

/* An (event, strategy) pair; events without one have the default. */
struct policy_conflict {
  uint16_t event;
  enum policy_strategy strategy;
  uint8_t value;
};

extern const struct policy_conflict policy_conflicts[];
extern const uint8_t policy_conflict_count;

/* --- What the policy manager offers to compiled policies --- */

/*
 * A publish/subscribe operation of an action. It goes the way of a component's own
 * (its point is C-B), after the policies of the present event have all been asked.
 * A queue that is full drops it and counts POLICY_FAULT_QUEUE.
 */
void policy_operate(enum policy_operation operation, uint8_t topic, uint8_t with,
                    uint8_t count, const struct policy_value *arguments);

/* The number of this mote: `this.node_id`. */
uint16_t policy_node_id(void);

#endif
