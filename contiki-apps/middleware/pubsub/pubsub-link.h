/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames over the MAC: broadcast, one attempt each (5.2.3 of the aggregation
 * paper: "no retransmission mechanism activated"). Receives through NullNet and
 * sends to the MAC itself, which NullNet's own output would not tell us about.
 */
#ifndef PUBSUB_LINK_H_
#define PUBSUB_LINK_H_

#include <stdint.h>

/* Start; every frame that arrives goes to `input`, valid only during it. */
void pubsub_link_init(void (*input)(const uint8_t *frame, uint16_t length));

/*
 * Hand a frame to the MAC. `sent` is called with `number` when the MAC is done
 * with the frame, perhaps before this returns; `reason` is NULL if it was
 * transmitted, else the log format's word for why not.
 */
void pubsub_link_send(const uint8_t *frame, uint16_t length, uint16_t number,
                      void (*sent)(uint16_t number, const char *reason));

#endif
