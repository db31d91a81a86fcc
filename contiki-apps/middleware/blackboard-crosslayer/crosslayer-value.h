/* SPDX-License-Identifier: Apache-2.0 */
/* A value on its way to the board. */
#ifndef BLACKBOARD_CROSSLAYER_VALUE_H_
#define BLACKBOARD_CROSSLAYER_VALUE_H_

#include <stdint.h>

enum blackboard_crosslayer_kind {
  BLACKBOARD_CROSSLAYER_RSSI,
  BLACKBOARD_CROSSLAYER_QUEUE,
  BLACKBOARD_CROSSLAYER_RETRIES,
  BLACKBOARD_CROSSLAYER_PARENT,
  BLACKBOARD_CROSSLAYER_KINDS
};

/* Before blackboard_crosslayer_start() it is kept for then. */
void blackboard_crosslayer_value(enum blackboard_crosslayer_kind kind, uint32_t value);

#endif
