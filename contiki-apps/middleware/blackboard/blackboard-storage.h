/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface to the storage of events and subscriptions, which the three concepts of Stelte
 * (2010), section 2, have in common. blackboard-static.c, blackboard-dynamic.c and
 * blackboard-combined.c are one each; a build has one of them.
 *
 * A node is an event (0..) or, after them, a sub-event. It has places for
 * subscriptions, each with a limit, a type and a handler of 32 bits, and flags.
 */
#ifndef BLACKBOARD_STORAGE_H_
#define BLACKBOARD_STORAGE_H_

#include "blackboard.h"

#define BLACKBOARD_STORAGE_NO_NODE 255

#define BLACKBOARD_STORAGE_SUM_VALUES(name, type, values, subscribers) + (values)
#define BLACKBOARD_STORAGE_SUM_PLACES(name, type, values, subscribers) + (subscribers)
#define BLACKBOARD_STORAGE_VALUES (0 BLACKBOARD_EVENTS(BLACKBOARD_STORAGE_SUM_VALUES))
#define BLACKBOARD_STORAGE_PLACES (0 BLACKBOARD_EVENTS(BLACKBOARD_STORAGE_SUM_PLACES))

/*
 * Sub-events that the declared numbers of subscribers need. Only the combined
 * concept has as many places in each event; one that overflows gives one of
 * them up to forward to the sub-event, so that a sub-event is room for five.
 */
#define BLACKBOARD_STORAGE_FRAME_PLACES 6
#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
#define BLACKBOARD_STORAGE_OVERFLOWS 1
#define BLACKBOARD_STORAGE_SUM_OVERFLOWS(name, type, values, subscribers) \
  + ((subscribers) > BLACKBOARD_STORAGE_FRAME_PLACES \
     ? ((subscribers) - BLACKBOARD_STORAGE_FRAME_PLACES + BLACKBOARD_STORAGE_FRAME_PLACES - 2) \
       / (BLACKBOARD_STORAGE_FRAME_PLACES - 1) : 0)
#define BLACKBOARD_STORAGE_SUB_EVENTS \
  (BLACKBOARD_CONDITIONS BLACKBOARD_EVENTS(BLACKBOARD_STORAGE_SUM_OVERFLOWS))
#else
#define BLACKBOARD_STORAGE_OVERFLOWS 0
#define BLACKBOARD_STORAGE_SUB_EVENTS BLACKBOARD_CONDITIONS
#endif
#define BLACKBOARD_STORAGE_NODES (BLACKBOARD_NUMBER_OF_EVENTS + BLACKBOARD_STORAGE_SUB_EVENTS)

/*
 * A place is named by its node and by its number there. The two numbers after
 * the largest that there can be are the node's own flags.
 */
#if BLACKBOARD_STORAGE_OVERFLOWS
#define BLACKBOARD_STORAGE_SHIFT 3
#else
#define BLACKBOARD_STORAGE_SHIFT 5
#endif
#define BLACKBOARD_STORAGE_MOST_PLACES ((1 << BLACKBOARD_STORAGE_SHIFT) - 2)
#define BLACKBOARD_PLACE(node, number) (((unsigned)(node) << BLACKBOARD_STORAGE_SHIFT) + (number))
#define BLACKBOARD_NODE(place) ((place) >> BLACKBOARD_STORAGE_SHIFT)
#define BLACKBOARD_NUMBER_IN_NODE(place) ((place) & ((1 << BLACKBOARD_STORAGE_SHIFT) - 1))
#define BLACKBOARD_PUBLISHED(node) /* to be proved */ \
  BLACKBOARD_PLACE(node, BLACKBOARD_STORAGE_MOST_PLACES)
#define BLACKBOARD_BLOCKED(node) /* being changed */ \
  BLACKBOARD_PLACE(node, BLACKBOARD_STORAGE_MOST_PLACES + 1)

/* Of places; BLACKBOARD_PUBLISHED() and BLACKBOARD_BLOCKED() are BLACKBOARD_STORAGE_ACTIVE or not. */
enum {
  BLACKBOARD_STORAGE_ACTIVE,   /* subscribed and not paused */
  BLACKBOARD_STORAGE_RESERVED, /* not free: as its type says, where it isn't kept */
  BLACKBOARD_STORAGE_DUE,      /* to be notified */
  BLACKBOARD_STORAGE_POLLED    /* notified, not yet asked for */
};

/* The word for the type, by its bytes. */
struct blackboard_type {
  uint8_t kind;   /* blackboard-tree.h */
  uint8_t number; /* the subscription's, and 1; 0: the place is free */
  uint8_t thread;
  uint8_t change; /* of BLACKBOARD_CHANGED: where its value is */
};
_Static_assert(sizeof(struct blackboard_type) == sizeof(uint32_t), "a word");

/* A place's words, and its deadline, which no definition has a place for. */
struct blackboard_entry {
  union {
    struct {
      struct blackboard_type type;
      uint32_t limit;
      uint32_t handler;
      uint32_t deadline;
    };
    uint32_t words[4];
  };
};

/* Without the deadline, unless it is in the same array. */
#define BLACKBOARD_STORAGE_WORDS_OF_A_PLACE \
  (BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC ? 4 : 3)

bool blackboard_storage_is(unsigned place, uint_fast8_t flag);
void blackboard_storage_set(unsigned place, uint_fast8_t flag, bool on);

void blackboard_storage_load(unsigned place, struct blackboard_entry *entry);
void blackboard_storage_store(unsigned place, const struct blackboard_entry *entry);
struct blackboard_type *blackboard_storage_type(unsigned place);
uint32_t *blackboard_storage_handler(unsigned place);

/* The event's newest value, or that of a sub-event's event; then the others. */
uint32_t *blackboard_storage_values(uint_fast8_t node);
uint_fast8_t blackboard_storage_number_of_values(uint_fast8_t event);
bool blackboard_storage_is_signed(uint_fast8_t event);

/* A node becomes a sub-event of that event, with free places. */
void blackboard_storage_link(uint_fast8_t node, uint_fast8_t event);

#define BLACKBOARD_STORAGE_SUBSCRIBERS(name, type, values, subscribers) subscribers,

#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
#include "blackboard-combined.h"
#elif BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
#include "blackboard-dynamic-storage.h"
#else
#include "blackboard-static.h"
#endif

#if BLACKBOARD_CONCEPT != BLACKBOARD_DYNAMIC
/* An event's places are always its own, and nothing is ever shifted. */
#define blackboard_storage_init()
#define blackboard_storage_unlink(node)
#define blackboard_storage_are_one(event, other) ((event) == (other))
#define blackboard_storage_is_own(event) true
#define blackboard_storage_fits(event, places, conditions) true
#define blackboard_storage_has(places) true
#define blackboard_storage_close_gaps()

static inline uint_fast8_t
blackboard_storage_next(uint_fast8_t node)
{
  node = node == BLACKBOARD_STORAGE_NO_NODE ? 0 : node + 1;
  return node < BLACKBOARD_STORAGE_NODES ? node : BLACKBOARD_STORAGE_NO_NODE;
}
#endif
/*
 * They also define these, some of which are a line or less:
 *
 *   blackboard_storage_init()
 *   blackboard_storage_number_of_places(node)
 *   blackboard_storage_is_sound(event)    all of its words are within the array
 *   blackboard_storage_next(node)         the nodes in order of priority, from
 *                              BLACKBOARD_STORAGE_NO_NODE to that
 *   blackboard_storage_unlink(node)       it is a sub-event no more
 *   blackboard_storage_sub_events_for(event, subscriptions)
 *                              how many so many subscriptions need beside those
 *                              for conditions
 *   blackboard_storage_most(event)        how many there may be, as declared: what others
 *                              declared is theirs
 *   blackboard_storage_are_one(event, other), blackboard_storage_is_own(event)
 *                              whether their places are the same ones; of those
 *                              events one has them for its own
 *   blackboard_storage_fits(event, places, conditions)
 *                              whether so many in all can be had, among them so
 *                              many of an event's conditions
 *   blackboard_storage_has(places)        so many are there, without closing gaps
 *   blackboard_storage_grow(event)        one more place of the event, its last
 *   blackboard_storage_close_gaps()       within nodes
 */

#endif
