/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference time on this node: the clock of the system's first node, learnt by Cristian's method. A node
 * asks, the reference answers with its time, and the answer was true at some time while the node waited: it
 * takes the middle, and is wrong by at most half of what the wait took longer than two shortest transmissions.
 *
 * A node keeps the answer with the smallest error. An answer that contradicts it by more than
 * DISTRIBUTION_CLOCK_DRIFT means that one of the clocks stepped: it is counted and the new answer taken.
 */
#ifndef DISTRIBUTION_CLOCK_H_
#define DISTRIBUTION_CLOCK_H_

#include <stdbool.h>
#include <stdint.h>

#define DISTRIBUTION_CLOCK_DRIFT 1000 /* us between two answers: 100 ppm over 10 s */

/* `reference`: this node's clock is the reference time. `least`: us of the shortest transmission. */
void distribution_clock_init(bool reference, uint32_t least);

uint32_t distribution_clock_own(void); /* this node's clock, us; wraps */
uint32_t distribution_clock_now(void); /* the reference time */

/* How wrong that is at most; DISTRIBUTION_CLOCK_UNKNOWN without an answer. */
#define DISTRIBUTION_CLOCK_UNKNOWN 0xffffffffUL
uint32_t distribution_clock_error(void);

/* An answer arrived now: at `asked` of the own clock it was requested, `answered` is the reference's time. */
void distribution_clock_answered(uint32_t asked, uint32_t answered);

/* The own clock steps, as a clock does that somebody sets: for tests of what follows. */
void distribution_clock_step(int32_t us);

#endif
