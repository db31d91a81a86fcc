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
/* Limit, type, handler; where it is in the same array, the deadline. */
#define STORAGE_WORDS_OF_A_PLACE \
  (BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC ? 4 : 3)

#define STORAGE_NODES (BLACKBOARD_NUMBER_OF_EVENTS + STORAGE_SUB_EVENTS)

enum { STORAGE_VALUE, STORAGE_TYPE, STORAGE_LIMIT, STORAGE_HANDLER };

enum {
  STORAGE_ACTIVE,    /* of a place: subscribed and not paused */
  STORAGE_DUE,       /* of a place: to be notified */
  STORAGE_POLLED,    /* of a place: notified, not yet asked for */
  STORAGE_PUBLISHED, /* of a node: to be proved */
  STORAGE_BLOCKED    /* of a node: being changed */
};

void storage_init(void);

/* A value (`index`: its age) or a word of a place. */
uint32_t *storage_word(uint8_t node, uint8_t part, uint8_t index);

/* A subscription's relative deadline; no definition has a place for it. */
uint32_t *storage_deadline(uint8_t node, uint8_t place);

/* `place` is ignored for what belongs to a node. */
bool storage_is(uint8_t node, uint8_t place, uint8_t flag);
void storage_set(uint8_t node, uint8_t place, uint8_t flag, bool on);

/* A place that isn't reserved is free. */
bool storage_is_reserved(uint8_t node, uint8_t place);
void storage_reserve(uint8_t node, uint8_t place, bool reserved);

uint8_t storage_places(uint8_t node);
uint8_t storage_values(uint8_t event);
bool storage_is_signed(uint8_t event);

/* Whether all of its words are within the array. */
bool storage_is_sound(uint8_t node);

/* The nodes in order of priority, from `STORAGE_NO_NODE` to that. */
uint8_t storage_next(uint8_t node);

/* A node becomes a sub-event of that event, with a free place; and no more. */
void storage_link(uint8_t node, uint8_t event);
void storage_unlink(uint8_t node);

/* Whether so many more places fit, one of them of the event itself if `own`. */
bool storage_fits(uint8_t event, bool own, int places);

/* One more place of the event, its last; only after storage_fits(). */
void storage_grow(uint8_t event);

/* Close what gaps can be closed within nodes. */
void storage_close_gaps(void);

#endif
