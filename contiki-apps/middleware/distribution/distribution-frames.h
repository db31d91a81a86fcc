/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of data distribution (../frames/frames.yaml) to and from their octets. */
#ifndef DISTRIBUTION_FRAMES_H_
#define DISTRIBUTION_FRAMES_H_

#include <stdbool.h>
#include <stdint.h>

enum distribution_frame_kind {
  DISTRIBUTION_VALUE = 1,
  DISTRIBUTION_CLOCK_REQUEST,
  DISTRIBUTION_CLOCK_REPLY
};

struct distribution_frame {
  uint8_t kind;    /* enum distribution_frame_kind */
  uint8_t task;    /* of a value: the task that gets it */
  uint16_t job;    /* of a value: its path's job */
  uint32_t stamp;  /* of a value: its update; of a request, repeated in the reply: when it was sent */
  uint32_t other;  /* of a value: the stamp's error; of a reply: the reference time */
};

#define DISTRIBUTION_FRAME_BODY 12

void distribution_frame_encode(const struct distribution_frame *frame, uint8_t *body);

/* False if the body is none. */
bool distribution_frame_decode(struct distribution_frame *frame, const uint8_t *body, uint16_t length);

#endif
