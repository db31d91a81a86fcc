/* SPDX-License-Identifier: Apache-2.0 */
/* See blackboard-storage.h. */
#ifndef BLACKBOARD_DYNAMIC_STORAGE_H_
#define BLACKBOARD_DYNAMIC_STORAGE_H_

void storage_init(void);
unsigned storage_number_of_places(unsigned node);
bool storage_is_sound(unsigned event);
unsigned storage_next(unsigned node);
void storage_unlink(unsigned node);
bool storage_fits(unsigned event, unsigned places, unsigned conditions);
bool storage_has(unsigned places);
unsigned storage_grow(unsigned event);
void storage_close_gaps(void);

#define storage_sub_events_for(event, subscriptions) \
  ((subscriptions) <= STORAGE_MOST_PLACES ? 0 : STORAGE_NODES)

#endif
