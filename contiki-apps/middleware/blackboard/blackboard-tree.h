/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions in the tree of an event and its sub-events (Stelte 2010, 2.4).
 * Two kinds of places forward to a sub-event: one that stands for others, which
 * didn't fit, and a condition of a subscription that has more of them.
 */
#ifndef BLACKBOARD_TREE_H_
#define BLACKBOARD_TREE_H_

#include "blackboard-storage.h"

/* The type of a subscription, from its lowest bits on. */
#define TYPE_COMPARISON(type) ((type) & 7)
#define TYPE_NOTIFICATION(type) ((type) >> 3 & 7)
#define TYPE_FORWARD /* its handler is a sub-event */ \
  ((uint32_t)(STORAGE_SUB_EVENTS > 0) << 6)
#define TYPE_REFERENCED ((uint32_t)1 << 7)    /* CHANGED has let a value pass */
#define TYPE_NUMBER(type) ((type) >> 8 & 255) /* the subscription's, and 1 */
#define TYPE_THREAD(type) ((type) >> 16 & 255)
#define TYPE_CHANGE(type) ((type) >> 24)      /* where that value is */

#define NUMBER_OF_OTHERS 255 /* stands for others */
#define NO_PLACE -1

/* The event that a node belongs to; STORAGE_NO_NODE: none. */
unsigned tree_event(unsigned node);

/* The places of an event and its sub-events, after NO_PLACE and up to that. */
int tree_next(unsigned event, int place);

/* Of a subscription, the place of the last condition: whoever is notified. */
int tree_find(unsigned event, unsigned number);

/*
 * The subscription gets its places. One that has the number already loses its
 * own, keeps its flags; else it is active. The number, or an error, and then all
 * is as it was.
 */
int tree_put(unsigned event, unsigned number, unsigned thread,
             const struct blackboard_subscription *subscription);
void tree_unsubscribe(unsigned event, unsigned number);

/* Prune and quench. */
void tree_settle(unsigned event);

/* Hardly any room is left. */
bool tree_is_short(void);

/* Close gaps in `changing` and in all events that aren't blocked. */
void tree_optimise(unsigned changing);

/* Of BLACKBOARD_CHANGED: the values that the conditions let pass last. */
extern uint32_t blackboard_references[];

#endif
