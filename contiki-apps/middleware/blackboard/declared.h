/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a producer, a subscriber and its box take beside the module's
   own: an application declares them, and `make sizes` counts them. No file includes
   this one. */
#include "blackboard.h"

struct blackboard_producer blackboard_producer;
struct blackboard_box blackboard_box;
