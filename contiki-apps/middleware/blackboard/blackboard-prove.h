/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLACKBOARD_PROVE_H_
#define BLACKBOARD_PROVE_H_

#include <stdbool.h>
#include <stdint.h>

/*
 * Mark the subscriptions of the node and below that have to be notified of its
 * newest value, and only those. `passed`: whether the value got there at all.
 */
void blackboard_prove(uint_fast8_t node, bool passed);

#endif
