/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events and subscriptions are kept: what the three concepts of Stelte
 * (2010), section 2, have in common. blackboard-static.c, blackboard-dynamic.c
 * and blackboard-combined.c are one each; a build has one of them.
 *
 * A node is an event (0..) or, after them, a sub-event. It has places for
 * subscriptions, each with a limit, a type and a handler of 32 bits, and flags.
 */
#ifndef BLACKBOARD_STORAGE_H_
#define BLACKBOARD_STORAGE_H_

#include "blackboard.h"

#define STORAGE_NO_NODE 255

#define STORAGE_SUM_VALUES(name, type, values, subscribers) + (values)
#define STORAGE_SUM_PLACES(name, type, values, subscribers) + (subscribers)
#define STORAGE_VALUES (0 BLACKBOARD_EVENTS(STORAGE_SUM_VALUES))
#define STORAGE_PLACES (0 BLACKBOARD_EVENTS(STORAGE_SUM_PLACES))

/*
 * Sub-events that the declared numbers of subscribers need. Only the combined
 * concept has as many places in each event; one that overflows gives one of
 * them up to forward to the sub-event, so that a sub-event is room for five.
 */
#define STORAGE_FRAME_PLACES 6
#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
#define STORAGE_OVERFLOWS 1
#define STORAGE_SUM_OVERFLOWS(name, type, values, subscribers) \
  + ((subscribers) > STORAGE_FRAME_PLACES \
     ? ((subscribers) - STORAGE_FRAME_PLACES + STORAGE_FRAME_PLACES - 2) \
       / (STORAGE_FRAME_PLACES - 1) : 0)
#define STORAGE_SUB_EVENTS \
  (BLACKBOARD_CONDITIONS BLACKBOARD_EVENTS(STORAGE_SUM_OVERFLOWS))
#else
#define STORAGE_OVERFLOWS 0
#define STORAGE_SUB_EVENTS BLACKBOARD_CONDITIONS
#endif
#define STORAGE_NODES (BLACKBOARD_NUMBER_OF_EVENTS + STORAGE_SUB_EVENTS)

/*
 * A place is named by its node and by its number there. The two numbers after
 * the largest that there can be are the node's own flags.
 */
#if STORAGE_OVERFLOWS
#define STORAGE_SHIFT 3
#else
#define STORAGE_SHIFT 5
#endif
#define STORAGE_MOST_PLACES ((1 << STORAGE_SHIFT) - 2)
#define PLACE(node, number) (((unsigned)(node) << STORAGE_SHIFT) + (number))
#define NODE(place) ((place) >> STORAGE_SHIFT)
#define NUMBER_IN_NODE(place) ((place) & ((1 << STORAGE_SHIFT) - 1))
#define PUBLISHED(node) PLACE(node, STORAGE_MOST_PLACES)   /* to be proved */
#define BLOCKED(node) PLACE(node, STORAGE_MOST_PLACES + 1) /* being changed */

/* Of places; PUBLISHED() and BLOCKED() are STORAGE_ACTIVE or not. */
enum {
  STORAGE_ACTIVE,   /* subscribed and not paused */
  STORAGE_RESERVED, /* not free: as its type says, where it isn't kept */
  STORAGE_DUE,      /* to be notified */
  STORAGE_POLLED    /* notified, not yet asked for */
};

/* The word for the type, by its bytes. */
struct type {
  uint8_t kind;   /* blackboard-tree.h */
  uint8_t number; /* the subscription's, and 1; 0: the place is free */
  uint8_t thread;
  uint8_t change; /* of BLACKBOARD_CHANGED: where its value is */
};
_Static_assert(sizeof(struct type) == sizeof(uint32_t), "a word");

/* A place's words, and its deadline, which no definition has a place for. */
struct entry {
  union {
    struct {
      struct type type;
      uint32_t limit;
      uint32_t handler;
      uint32_t deadline;
    };
    uint32_t words[4];
  };
};

/* Without the deadline, unless it is in the same array. */
#define STORAGE_WORDS_OF_A_PLACE \
  (BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC ? 4 : 3)

bool storage_is(unsigned place, uint_fast8_t flag);
void storage_set(unsigned place, uint_fast8_t flag, bool on);

void storage_load(unsigned place, struct entry *entry);
void storage_store(unsigned place, const struct entry *entry);
struct type *storage_type(unsigned place);
uint32_t *storage_handler(unsigned place);

/* The event's newest value, or that of a sub-event's event; then the others. */
uint32_t *storage_values(uint_fast8_t node);
uint_fast8_t storage_number_of_values(uint_fast8_t event);
bool storage_is_signed(uint_fast8_t event);

/* A node becomes a sub-event of that event, with free places. */
void storage_link(uint_fast8_t node, uint_fast8_t event);

#define STORAGE_SUBSCRIBERS(name, type, values, subscribers) subscribers,

#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
#include "blackboard-combined.h"
#elif BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
#include "blackboard-dynamic-storage.h"
#else
#include "blackboard-static.h"
#endif
/*
 * What they define as well, short as it may be:
 *
 *   storage_init()
 *   storage_number_of_places(node)
 *   storage_is_sound(event)    all of its words are within the array
 *   storage_next(node)         the nodes in order of priority, from
 *                              STORAGE_NO_NODE to that
 *   storage_unlink(node)       it is a sub-event no more
 *   storage_sub_events_for(event, subscriptions)
 *                              how many so many subscriptions need beside those
 *                              for conditions
 *   storage_most(event)        how many there may be, as declared: what others
 *                              declared is theirs
 *   storage_are_one(event, other), storage_is_own(event)
 *                              whether their places are the same ones; of those
 *                              events one has them for its own
 *   storage_fits(event, places, conditions)
 *                              whether so many in all can be had, among them so
 *                              many of an event's conditions
 *   storage_has(places)        so many are there, without closing gaps
 *   storage_grow(event)        one more place of the event, its last
 *   storage_close_gaps()       within nodes
 */

#endif
