/* SPDX-License-Identifier: Apache-2.0 */
/* Prints this mote's records of the log format. */
#ifndef RECORDS_H_
#define RECORDS_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-event.h"

/* Publications and deliveries are always printed, the rest of an event's way
   only if `all`. */
void records_start(bool all);

void records_subscribed(pubsub_subject_t subject, uint32_t renewal);

void records_counters(void);

/* Called before the mote boots again: its counters go on from here. */
void records_keep(void);

#endif
