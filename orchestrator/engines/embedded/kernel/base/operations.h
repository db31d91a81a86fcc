/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's events cost, counted, beside event_queue.steps: work that must not grow with the number of motes. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <stdint.h>

struct operations {
  uint64_t neighbours; /* radios looked at: to find a radio's neighbours, at a transmission's start and end, for signals */
  uint64_t bytes;      /* of frames, into the air and out of it, and of the log */
};

extern struct operations operations; /* in main.c */

#endif
