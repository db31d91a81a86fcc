/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the dynamic concept only (Stelte 2010, 2.3). */
#ifndef BLACKBOARD_DYNAMIC_H_
#define BLACKBOARD_DYNAMIC_H_

#include "blackboard.h"

/*
 * Words for all values and places, four for each place. The default is what the
 * declared numbers need; fewer will do if not all are in use at once.
 */
#ifdef BLACKBOARD_CONF_DYNAMIC_WORDS
#define BLACKBOARD_DYNAMIC_WORDS BLACKBOARD_CONF_DYNAMIC_WORDS
#else
#define BLACKBOARD_DYNAMIC_WORDS \
  (BLACKBOARD_STORAGE_VALUES + 4 * (BLACKBOARD_STORAGE_PLACES + BLACKBOARD_STORAGE_SUB_EVENTS))
#endif

/*
 * From now on the event shares the subscriptions of the other one: subscribing, modifying and
 * unsubscribing at one of them is done at both; each is paused by itself. Subscriptions of
 * several conditions can't be shared. BLACKBOARD_NO_ROOM: the event has subscriptions, or the
 * other has such a one.
 */
int blackboard_share(uint8_t event, uint8_t with);

/* From now on the event is proved and notified before all others. */
int blackboard_raise(uint8_t event);

#endif
