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

#define storage_sub_events_for(event, subscriptions) \
  ((subscriptions) <= STORAGE_MOST_PLACES ? 0 : STORAGE_NODES)

#endif
