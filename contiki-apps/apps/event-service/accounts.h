/* SPDX-License-Identifier: Apache-2.0 */
/* What a consumer got, and how often it got the same again. */
#ifndef ACCOUNTS_H_
#define ACCOUNTS_H_

#include "pubsub-event.h"

#define ACCOUNTS_SUPPLIERS 8
#define ACCOUNTS_EVENTS 1024 /* of one supplier; more than the parameter `pushes` allows */

void accounts_arrived(const struct pubsub_event *event);

/* Print the records `from`. */
void accounts_dump(void);

#endif
