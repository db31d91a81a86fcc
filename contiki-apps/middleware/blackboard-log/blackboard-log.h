/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the log's records of the blackboard; spark/README.md says what each
   field is. Firmware that doesn't call it doesn't link it. */
#ifndef BLACKBOARD_LOG_H_
#define BLACKBOARD_LOG_H_

#include <stdbool.h>

/*
 * From now on it keeps the subscriptions' delays and, with `trace`, prints !bpb
 * and !ntf as they happen. When it is called again, at the begin of the
 * measured time, all counts begin at 0.
 */
void blackboard_log_start(bool trace);

/* After the run, prints !nts for each subscription that was notified, and !cnt,
   of the errors only those that are not 0. */
void blackboard_log_dump(void);

#endif
