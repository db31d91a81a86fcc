/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions in the tree of an event and its sub-events (Stelte 2010, 2.4).
 * Two kinds of places forward to a sub-event: one that stands for those that
 * didn't fit, and one condition of a subscription that has several.
 */
#ifndef BLACKBOARD_TREE_H_
#define BLACKBOARD_TREE_H_

#include "blackboard-storage.h"

/* The type of a subscription, from its lowest bits on. */
#define TYPE_COMPARISON(type) ((type) & 7)
#define TYPE_NOTIFICATION(type) ((type) >> 3 & 7)
#define TYPE_FORWARD ((uint32_t)1 << 6)    /* its handler is a sub-event */
#define TYPE_SIGNED ((uint32_t)1 << 7)
#define TYPE_NUMBER(type) ((uint8_t)((type) >> 8))
#define TYPE_THREAD(type) ((uint8_t)((type) >> 16))
#define TYPE_CHANGE(type) ((type) >> 24 & 63) /* of BLACKBOARD_CHANGED */
#define TYPE_REFERENCED ((uint32_t)1 << 30)   /* and it let a value pass */
#define TYPE_USED ((uint32_t)1 << 31)

/* "Numbers" of a place that is free and of one that forwards the others. */
#define NUMBER_FREE 254
#define NUMBER_FORWARD 255

#define TYPE(spot) (*storage_word((spot).node, STORAGE_TYPE, (spot).place))
#define LIMIT(spot) (*storage_word((spot).node, STORAGE_LIMIT, (spot).place))
#define HANDLER(spot) \
  (*storage_word((spot).node, STORAGE_HANDLER, (spot).place))

struct spot {
  uint8_t node;
  uint8_t place;
};

void tree_init(void);

/* The event that a node belongs to. */
uint8_t tree_event(uint8_t node);

/* Where a subscription is: the first of its conditions. */
bool tree_find_subscription(uint8_t event, uint8_t number, struct spot *spot);

/* The last of its conditions: whoever is notified. */
struct spot tree_last(struct spot spot);

/* As blackboard_subscribe() and so on; `thread` is its number. */
int tree_subscribe(uint8_t event, uint8_t thread,
                   const struct blackboard_subscription *subscription);
int tree_modify(uint8_t event, uint8_t number, uint8_t thread,
                const struct blackboard_subscription *subscription);
int tree_unsubscribe(uint8_t event, uint8_t number);

/* Prune and quench below the node. Whether anybody there is active. */
bool tree_settle(uint8_t node);

/* No sub-event is left. */
bool tree_is_short(void);

/* Close gaps, in `changing` and in all events that aren't blocked. */
void tree_optimise(uint8_t changing);

/* Of BLACKBOARD_CHANGED: the values that the conditions let pass last. */
extern uint32_t blackboard_references[];

#endif
