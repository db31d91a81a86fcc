/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of blackboard-static.c that are a line or less; see blackboard-storage.h. */
#ifndef BLACKBOARD_STATIC_H_
#define BLACKBOARD_STATIC_H_

uint_fast8_t blackboard_storage_number_of_places(uint_fast8_t node);

#define blackboard_storage_is_sound(event) true /* the positions are constants */
#define blackboard_storage_link(node, event)

/* An event has the places that it was given. */
#define blackboard_storage_sub_events_for(event, subscriptions) 0
#define blackboard_storage_most(event) blackboard_storage_number_of_places(event)
#define blackboard_storage_grow(event) 0 /* doesn't come to it */

#endif
