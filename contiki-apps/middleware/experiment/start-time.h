/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learns from start frames when the run starts on this mote's clock.
 *
 * A start frame says how long it is to the start. That is off by as long as the
 * MAC held the frame (CSMA back-offs, tens of ms). So each frame also says how
 * long it was to the start when its predecessor left the sender's radio: a mote
 * that got both is exact to a clock tick, and the first estimate is only kept
 * if no such pair arrives. A relay sends start frames of its own, by its own clock,
 * so the time for which it held a frame has no effect.
 *
 * It does no I/O: the caller passes times in. All are in ms; `now` is on any clock
 * of the mote that doesn't jump.
 */
#ifndef START_TIME_H_
#define START_TIME_H_

#include <stdbool.h>
#include <stdint.h>

#define START_TIME_UNKNOWN 0xffffffffUL

/* The body of a start frame. */
struct start_time_frame {
  uint8_t number;     /* 1, 2, ..: of the repeats */
  uint8_t hops;       /* from the control node to the sender of this frame */
  uint32_t remaining; /* to the start, when handed to the MAC */
  uint32_t remaining_at_previous; /* when frame number - 1 had been sent, or
                                     START_TIME_UNKNOWN */
};

struct start_time {
  bool known;
  bool exact;
  uint8_t hops;
  uint32_t at;             /* of the start */
  /* The last start frame of each sender a mote listens to: the control node
     and its parent. */
  struct {
    uint16_t from; /* 0: none yet */
    uint8_t number;
    uint32_t at;
  } heard[2];
};

/*
 * A start frame of mote `from` arrived. Exact beats estimated, then fewer hops
 * beat more; an equal one changes nothing. Returns true if `at` changed.
 */
bool start_time_heard(struct start_time *start, const struct start_time_frame *frame,
                      uint16_t from, uint32_t now);

#endif
