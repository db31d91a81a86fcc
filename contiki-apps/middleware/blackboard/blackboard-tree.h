/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions in the tree of an event and its sub-events (Stelte 2010, 2.4).
 * Two kinds of places forward to a sub-event: one that stands for others, which
 * didn't fit, and a condition of a subscription that has more of them.
 */
#ifndef BLACKBOARD_TREE_H_
#define BLACKBOARD_TREE_H_

#include "blackboard-storage.h"

/* The kind of a subscription, from its lowest bits on. */
#define BLACKBOARD_KIND_COMPARISON(kind) ((kind) & 7)
#define BLACKBOARD_KIND_NOTIFICATION(kind) ((kind) >> 3 & 7)
#define BLACKBOARD_KIND_FORWARD /* its handler is a sub-event */ \
  ((BLACKBOARD_STORAGE_SUB_EVENTS > 0) << 6)
#define BLACKBOARD_KIND_REFERENCED 128 /* BLACKBOARD_CHANGED has let a value pass */

#define BLACKBOARD_NUMBER_OF_OTHERS 255 /* in a type: it stands for others */
#define BLACKBOARD_NO_PLACE -1

/* The event that a node belongs to; BLACKBOARD_NUMBER_OF_EVENTS or more: none. */
uint_fast8_t blackboard_tree_event(uint_fast8_t node);

/* The place of a subscription's last condition, from which the subscriber is
   notified. */
int blackboard_tree_find(uint_fast8_t event, uint_fast8_t number);

/*
 * Gives the subscription its places. If there is one with this number already, its
 * places are freed and its flags are kept; a new one is active. Returns
 * BLACKBOARD_OK, or an error, and then nothing has changed.
 */
int blackboard_tree_put(uint_fast8_t event, uint_fast8_t number, uint_fast8_t thread,
                        const struct blackboard_subscription *subscription);

/* Frees the place; blackboard_tree_settle() finds places that forwarded to it. */
void blackboard_tree_vacate(unsigned place);

/* Prune and quench. */
void blackboard_tree_settle(uint_fast8_t event);

/* Hardly any room is left. */
bool blackboard_tree_is_short(void);

/* Close gaps in `changing` and in all events that aren't blocked. */
void blackboard_tree_optimise(uint_fast8_t changing);

/* Of BLACKBOARD_CHANGED: the values that the conditions let pass last. */
extern uint32_t blackboard_references[];

#endif
