/* SPDX-License-Identifier: Apache-2.0 */
/* The containers of the dynamic concept, and the list that is their order of priority. */
#ifndef BLACKBOARD_DYNAMIC_CONTAINERS_H_
#define BLACKBOARD_DYNAMIC_CONTAINERS_H_

#include "blackboard-dynamic.h"
#include "blackboard-storage.h"

struct blackboard_container {
  struct blackboard_container *next;
  uint32_t *values;
  struct blackboard_entry *places;
  uint8_t number_of_values;
  uint8_t number_of_places;
  uint8_t type;
  uint8_t sharing;  /* the container whose places these are */
  uint32_t active;  /* subscribers' flags, and published and block */
  uint32_t marks[2];/* notification queue, to be polled */
};

extern struct blackboard_container blackboard_containers[BLACKBOARD_STORAGE_NODES];
extern struct blackboard_container *blackboard_dynamic_front; /* NULL: none is in the list */

/* Puts the container behind all others. */
void blackboard_dynamic_append(struct blackboard_container *container);

/* Takes the container, which is in the list, out of it. */
void blackboard_dynamic_take_out(struct blackboard_container *container);

#endif
