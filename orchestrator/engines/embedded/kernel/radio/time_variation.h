/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of Cooja's logistic loss that changes with time: every pair of motes in range of each other has an offset to its
 * path loss, which a random number changes every 10 s. The numbers are drawn in the order in which java.util.HashMap of
 * OpenJDK gives the pairs, whose hash code is id ^ id.
 */
#ifndef TIME_VARIATION_H
#define TIME_VARIATION_H

#include "motes/simulation.h"

struct time_variation {
  bool on;
  double least, most; /* dB */
  struct pair *pairs; /* in the order in which they were entered */
  uint32_t count, size, buckets;
  uint32_t *order; /* of the map; computed when it is needed */
  bool ordered;
  uint32_t *found; /* by hash of both ids: index in pairs + 1 */
  uint32_t found_size;
  int64_t periods; /* for which numbers have been drawn */
};

/* Enters the pairs of these motes, unless they are entered; the first id is the smaller one. */
void time_variation_enter(struct time_variation *variation, int low, int high);

/* Draws the numbers for the periods that have begun by now. */
void time_variation_evolve(struct time_variation *variation, struct java_random *random, int64_t now);

/* The offset of a pair in dB; 0 if it was never entered. */
double time_variation_of(const struct time_variation *variation, int a, int b);

#endif
