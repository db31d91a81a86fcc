/* SPDX-License-Identifier: Apache-2.0 */
#include "start-time.h"
/*---------------------------------------------------------------------------*/
static bool
better(const struct start_time *start, bool exact, uint8_t hops)
{
  if(!start->known || start->exact != exact) {
    return !start->known || exact;
  }
  return hops < start->hops;
}
/*---------------------------------------------------------------------------*/
bool
start_time_heard(struct start_time *start, const struct start_frame *frame,
                 uint16_t from, uint32_t now)
{
  bool pair = frame->remaining_at_previous != START_TIME_UNKNOWN
    && start->previous_from == from
    && (uint8_t)(start->previous_number + 1) == frame->number;
  uint32_t at = pair ? start->previous_at + frame->remaining_at_previous
    : now + frame->remaining;
  bool changed = false;

  if(better(start, pair, frame->hops)) {
    changed = !start->known || start->at != at;
    start->known = true;
    start->exact = pair;
    start->hops = frame->hops;
    start->at = at;
  }
  start->previous_from = from;
  start->previous_number = frame->number;
  start->previous_at = now;
  return changed;
}
