/* SPDX-License-Identifier: Apache-2.0 */
/* A value on its way to the board. */
#ifndef CROSSLAYER_VALUE_H_
#define CROSSLAYER_VALUE_H_

#include <stdint.h>

enum crosslayer_kind {
  CROSSLAYER_RSSI,
  CROSSLAYER_QUEUE,
  CROSSLAYER_RETRIES,
  CROSSLAYER_PARENT,
  CROSSLAYER_KINDS
};

/* Before blackboard_crosslayer_start() it is kept for then. */
void crosslayer_value(enum crosslayer_kind kind, uint32_t value);

#endif
