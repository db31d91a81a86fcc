/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on an event's data, in the form in which they travel. Gateways have the
 * same in Python (gateway/event_service/condition.py, which describes the form);
 * tests compare the two.
 */
#ifndef EVENT_CONDITION_H_
#define EVENT_CONDITION_H_

#include <stdbool.h>
#include <stdint.h>

#define EVENT_TERMS_CONDITION_MOST 32 /* bytes */

/* Whether these bytes are a condition. */
bool event_terms_condition_is(const uint8_t *code, uint8_t length);

/*
 * Whether an event with this data meets the condition, which is one; an empty one is
 * always met. A comparison with what the data doesn't have is false.
 */
bool event_terms_condition_holds(const uint8_t *code, uint8_t length,
                           const uint8_t *data, uint8_t data_length);

#endif
