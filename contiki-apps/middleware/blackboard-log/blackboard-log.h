/* SPDX-License-Identifier: Apache-2.0 */
/* The log's records of the blackboard: spark/README.md says what each field is.
   Nothing of this is linked where it isn't called. */
#ifndef BLACKBOARD_LOG_H_
#define BLACKBOARD_LOG_H_

#include <stdbool.h>

/*
 * From now on keep the subscriptions' delays; with `trace`, print !bpb and !ntf
 * as they happen. Once again, and at the begin of a measured time: all counts
 * from 0.
 */
void blackboard_log_start(bool trace);

/* After the run: !nts for each subscription that was notified, !cnt, of the
   errors those that are not 0. */
void blackboard_log_dump(void);

#endif
