/* SPDX-License-Identifier: Apache-2.0 */
/* See blackboard-storage.h. */
#ifndef BLACKBOARD_DYNAMIC_STORAGE_H_
#define BLACKBOARD_DYNAMIC_STORAGE_H_

void blackboard_storage_init(void);
uint_fast8_t blackboard_storage_number_of_places(uint_fast8_t node);
bool blackboard_storage_is_sound(uint_fast8_t event);
uint_fast8_t blackboard_storage_next(uint_fast8_t node);
void blackboard_storage_unlink(uint_fast8_t node);
bool blackboard_storage_fits(uint_fast8_t event, unsigned places, unsigned conditions);
bool blackboard_storage_has(unsigned places);
unsigned blackboard_storage_grow(uint_fast8_t event);
void blackboard_storage_close_gaps(void);

uint_fast8_t blackboard_storage_most(uint_fast8_t event);
bool blackboard_storage_are_one(uint_fast8_t event, uint_fast8_t other);

#define blackboard_storage_sub_events_for(event, subscriptions) 0
#define blackboard_storage_is_own(event) blackboard_storage_are_one(event, BLACKBOARD_STORAGE_NO_NODE)

#endif
