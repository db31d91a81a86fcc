/* SPDX-License-Identifier: Apache-2.0 */
#include "distribution-frames.h"
#include "pubsub-frames.h"
#include "pubsub-octets.h"

_Static_assert(DISTRIBUTION_FRAME_BODY == PUBSUB_DISTRIBUTED_BODY_FIXED_SIZE, "frames.yaml says so");
/*---------------------------------------------------------------------------*/
void
distribution_frame_encode(const struct distribution_frame *frame, uint8_t *body)
{
  body[PUBSUB_DISTRIBUTED_BODY_KIND_AT] = frame->kind;
  body[PUBSUB_DISTRIBUTED_BODY_TASK_AT] = frame->task;
  pubsub_put16(body + PUBSUB_DISTRIBUTED_BODY_JOB_AT, frame->job);
  pubsub_put32(body + PUBSUB_DISTRIBUTED_BODY_STAMP_AT, frame->stamp);
  pubsub_put32(body + PUBSUB_DISTRIBUTED_BODY_OTHER_AT, frame->other);
}
/*---------------------------------------------------------------------------*/
bool
distribution_frame_decode(struct distribution_frame *frame, const uint8_t *body, uint16_t length)
{
  if(length != DISTRIBUTION_FRAME_BODY) {
    return false;
  }
  frame->kind = body[PUBSUB_DISTRIBUTED_BODY_KIND_AT];
  frame->task = body[PUBSUB_DISTRIBUTED_BODY_TASK_AT];
  frame->job = pubsub_get16(body + PUBSUB_DISTRIBUTED_BODY_JOB_AT);
  frame->stamp = pubsub_get32(body + PUBSUB_DISTRIBUTED_BODY_STAMP_AT);
  frame->other = pubsub_get32(body + PUBSUB_DISTRIBUTED_BODY_OTHER_AT);
  return frame->kind >= DISTRIBUTION_VALUE && frame->kind <= DISTRIBUTION_CLOCK_REPLY;
}
