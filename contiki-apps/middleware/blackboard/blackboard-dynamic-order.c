/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which events are proved and notified: a list of their containers. */
#include "blackboard-storage.h"

#if BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
#include "blackboard-dynamic-containers.h"

struct blackboard_container *blackboard_dynamic_front;
/*---------------------------------------------------------------------------*/
static void
insert(struct blackboard_container *container,
       struct blackboard_container **where)
{
  container->next = *where;
  *where = container;
}
/*---------------------------------------------------------------------------*/
void
blackboard_dynamic_take_out(struct blackboard_container *container)
{
  struct blackboard_container **at = &blackboard_dynamic_front;

  while(*at != container) {
    at = &(*at)->next;
  }
  *at = container->next;
}
/*---------------------------------------------------------------------------*/
void
blackboard_dynamic_append(struct blackboard_container *container)
{
  struct blackboard_container **at = &blackboard_dynamic_front;

  while(*at != NULL) {
    at = &(*at)->next;
  }
  insert(container, at);
}
/*---------------------------------------------------------------------------*/
uint_fast8_t
blackboard_storage_next(uint_fast8_t node)
{
  struct blackboard_container *next =
    node == BLACKBOARD_STORAGE_NO_NODE ? blackboard_dynamic_front : blackboard_containers[node].next;

  return next == NULL ? BLACKBOARD_STORAGE_NO_NODE : next - blackboard_containers;
}
/*---------------------------------------------------------------------------*/
int
blackboard_raise(uint8_t event)
{
  int result = blackboard_block(event);

  if(result == BLACKBOARD_OK) {
    blackboard_dynamic_take_out(&blackboard_containers[event]);
    insert(&blackboard_containers[event], &blackboard_dynamic_front);
    blackboard_unblock(event);
  }
  return result;
}
#endif
