/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge functions that control their own time-outs (section 4 of the
 * aggregation paper: the period "is changeable by the merging function", and
 * events can be held "forever by periodically changing the time-out"). Each
 * stands in front of another merge function, which merges:
 *
 *   static struct merge_patience patience;
 *   merge_patience_shrinking(&patience, &merge_sum_function);
 *   merge_attribute_init(&merging, &patience.function, publishers_through);
 */
#ifndef MERGE_PATIENCE_H_
#define MERGE_PATIENCE_H_

#include "merge-function.h"

struct merge_patience {
  struct merge_function function;      /* the attribute's */
  const struct merge_function *merges; /* behind it */
};

/*
 * The fuller an aggregate, the sooner it goes: after a merge, one that lacks m
 * of `full_at` publishers waits m / full_at of the time-out at most, and never
 * longer than it would have. Without `full_at` the time-out does not change.
 */
void merge_patience_shrinking(struct merge_patience *patience,
                              const struct merge_function *merges);

/*
 * Events are held for ever: every time-out is renewed. An event goes when it is
 * full, when its publisher's next one comes, or when a frame has no room; the
 * last one stays.
 */
void merge_patience_endless(struct merge_patience *patience,
                            const struct merge_function *merges);

#endif
