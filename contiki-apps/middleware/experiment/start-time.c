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
start_time_heard(struct start_time *start, const struct start_time_frame *frame,
                 uint16_t from, uint32_t now)
{
  unsigned slot = start->heard[0].from == from
    || (start->heard[0].from == 0 && start->heard[1].from != from) ? 0 : 1;
  bool pair = frame->remaining_at_previous != START_TIME_UNKNOWN
    && start->heard[slot].from == from
    && (uint8_t)(start->heard[slot].number + 1) == frame->number;
  uint32_t at = pair ? start->heard[slot].at + frame->remaining_at_previous
    : now + frame->remaining;
  bool changed = false;

  if(better(start, pair, frame->hops)) {
    changed = !start->known || start->at != at;
    start->known = true;
    start->exact = pair;
    start->hops = frame->hops;
    start->at = at;
  }
  start->heard[slot].from = from;
  start->heard[slot].number = frame->number;
  start->heard[slot].at = now;
  return changed;
}
