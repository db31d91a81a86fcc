/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of policies: with a trace, a record for every policy that is asked and
 * every conflict; of updates always; and what each policy was asked and said, dumped
 * after the run. The log format says what the records `pev`, `pcf`, `pup` and `pol`
 * hold.
 */
#ifndef POLICY_LOG_H_
#define POLICY_LOG_H_

#include <stdbool.h>
#include "policies/policy-manager.h"

/* Policies that are counted one by one; the numbers of an update go as far. */
#ifdef POLICY_LOG_CONF_POLICIES
#define POLICY_LOG_POLICIES POLICY_LOG_CONF_POLICIES
#else
#define POLICY_LOG_POLICIES 32
#endif

/* Counting begins; after policy_manager_init(). */
void policy_log_start(bool trace);

/* An update was carried out, or refused. `what`: a word; `other`: the policy or rule
   that it names beside the first. */
void policy_log_update(const char *what, uint8_t policy, uint8_t other, bool done);

/* Print the counters. */
void policy_log_dump(void);

#endif
