/* SPDX-License-Identifier: Apache-2.0 */
/* See blackboard-storage.h. */
#ifndef BLACKBOARD_DYNAMIC_STORAGE_H_
#define BLACKBOARD_DYNAMIC_STORAGE_H_

void storage_init(void);
uint_fast8_t storage_number_of_places(uint_fast8_t node);
bool storage_is_sound(uint_fast8_t event);
uint_fast8_t storage_next(uint_fast8_t node);
void storage_unlink(uint_fast8_t node);
bool storage_fits(uint_fast8_t event, unsigned places, unsigned conditions);
bool storage_has(unsigned places);
unsigned storage_grow(uint_fast8_t event);
void storage_close_gaps(void);

uint_fast8_t storage_most(uint_fast8_t event);
bool storage_are_one(uint_fast8_t event, uint_fast8_t other);

#define storage_sub_events_for(event, subscriptions) 0
#define storage_is_own(event) storage_are_one(event, STORAGE_NO_NODE)

#endif
