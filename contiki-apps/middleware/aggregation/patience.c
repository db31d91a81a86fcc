/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include "patience.h"
/*---------------------------------------------------------------------------*/
static const struct merge_function *
behind(const struct merge_attribute *state)
{
  return ((const struct merge_patience *)((const char *)state->function
          - offsetof(struct merge_patience, function)))->merges;
}
/*---------------------------------------------------------------------------*/
static bool
merge_and_shrink(struct merge_attribute *state,
                 const struct pubsub_event *arrived)
{
  unsigned holds = state->stored.contributors + arrived->contributors;

  if(!behind(state)->merge(state, arrived)) {
    return false;
  }
  if(holds < state->full_at) {
    merge_wait_at_most(state, (clock_time_t)((uint64_t)state->timeout
                                             * (state->full_at - holds)
                                             / state->full_at));
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static clock_time_t
renew(struct merge_attribute *state)
{
  return state->timeout > 0 ? state->timeout : 1;
}
/*---------------------------------------------------------------------------*/
void
merge_patience_shrinking(struct merge_patience *patience,
                         const struct merge_function *merges)
{
  patience->function = *merges;
  patience->function.merge = merge_and_shrink;
  patience->merges = merges;
}
/*---------------------------------------------------------------------------*/
void
merge_patience_endless(struct merge_patience *patience,
                       const struct merge_function *merges)
{
  patience->function = *merges;
  patience->function.timed_out = renew;
  patience->merges = merges;
}
