/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a value that is to be published on the board. */
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

/* Before blackboard_crosslayer_start() the value is only kept. */
void blackboard_crosslayer_value(enum blackboard_crosslayer_kind kind, uint32_t value);

#endif
