/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions in the tree of an event and its sub-events (Stelte 2010, 2.4).
 * Two kinds of places forward to a sub-event: one that represents others, which
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

/* Without sub-events, the compiler omits the code for them. */
#define BLACKBOARD_TREE_HAS_SUB_EVENTS (BLACKBOARD_STORAGE_SUB_EVENTS > 0)

#define BLACKBOARD_TREE_LINK 128 /* beside a sub-event's event: it is of a condition */

/* The events of sub-events, and 1; 0: it is free. */
extern struct blackboard_tree_sub_events {
  uint8_t used;
  uint8_t events[BLACKBOARD_TREE_HAS_SUB_EVENTS ? BLACKBOARD_STORAGE_SUB_EVENTS : 1];
} blackboard_tree_sub_events;

/* One more sub-event of the event, which there has to be; then it is free again. */
uint_fast8_t blackboard_tree_take_sub_event(uint_fast8_t event);
void blackboard_tree_free_sub_event(uint_fast8_t node);

/*
 * The next place after `last` of an event and its sub-events, those of the event first, because
 * they have priority; BLACKBOARD_NO_PLACE: there is none. `which`: all places, or those that see
 * every value. blackboard_tree_search(): the next one with that number in its type.
 */
#define BLACKBOARD_TREE_ALL (BLACKBOARD_TREE_LINK - 1)
#define BLACKBOARD_TREE_OPEN 255
int blackboard_tree_next(uint_fast8_t event, uint_fast8_t which, int last);
int blackboard_tree_search(uint_fast8_t event, uint_fast8_t which, int last, unsigned number);
#define BLACKBOARD_TREE_EVERY_PLACE(event, which, place) \
  for(place = BLACKBOARD_NO_PLACE; \
      (place = blackboard_tree_next(event, which, place)) != BLACKBOARD_NO_PLACE;)

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
