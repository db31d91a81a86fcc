/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of policies. Each POLICY_X has a POLICY_CONF_X that a project sets in
 * its project-conf.h.
 */
#ifndef POLICY_CONF_H_
#define POLICY_CONF_H_

#include "contiki.h"

/* Arguments of an event; the compiler refuses a topic that has more. */
#ifdef POLICY_CONF_ARGUMENTS
#define POLICY_ARGUMENTS POLICY_CONF_ARGUMENTS
#else
#define POLICY_ARGUMENTS 4
#endif

/* Bytes of an encrypted value: one block of Skipjack; a value, its counter and code of AES-CCM*. */
#ifdef POLICY_CONF_SEALED_SIZE
#define POLICY_SEALED_SIZE POLICY_CONF_SEALED_SIZE
#else
#define POLICY_SEALED_SIZE 12
#endif

/* Whether single rules can be switched off while running. */
#ifdef POLICY_CONF_SWITCHED_RULES
#define POLICY_SWITCHED_RULES POLICY_CONF_SWITCHED_RULES
#else
#define POLICY_SWITCHED_RULES 0
#endif

/* Whether there is a policy in bytecode, which a mote gets while it runs (policy-bytecode). */
#ifdef POLICY_CONF_BYTECODE
#define POLICY_BYTECODE POLICY_CONF_BYTECODE
#else
#define POLICY_BYTECODE 0
#endif

/* Turns after which the loops of one action are left. The reference interpreter has the same limit. */
#define POLICY_MOST_TURNS 1000

#endif
