/* SPDX-License-Identifier: Apache-2.0 */
/* What a producer, a subscriber and its box take beside the module's own memory:
   an application declares them, `make sizes` counts them. Nothing includes this. */
#include "blackboard.h"

struct blackboard_producer blackboard_producer;
struct blackboard_box blackboard_box;
