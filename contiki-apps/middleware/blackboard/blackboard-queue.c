/* SPDX-License-Identifier: Apache-2.0 */
#include "blackboard-command.h"
#include "blackboard-guard.h"

_Static_assert(BLACKBOARD_QUEUE > 0 && BLACKBOARD_QUEUE < 256, "an index");

struct command blackboard_queue[BLACKBOARD_QUEUE];
static uint8_t first, length;
/*---------------------------------------------------------------------------*/
void
queue_init(void)
{
  first = length = 0;
}
/*---------------------------------------------------------------------------*/
const struct command *
queue_first(void)
{
  return length == 0 ? NULL : &blackboard_queue[first];
}
/*---------------------------------------------------------------------------*/
void
queue_drop(void)
{
  guard_t guard = guard_take();

  first = (first + 1) % BLACKBOARD_QUEUE;
  length--;
  guard_leave(guard);
}
/*---------------------------------------------------------------------------*/
static int
push(uint8_t what, uint8_t event, uint8_t number, uint32_t time,
     uint32_t value, const struct blackboard_subscription *subscription)
{
  struct command *command;
  guard_t guard = guard_take();

  if(length == BLACKBOARD_QUEUE) {
    blackboard_counters.queue_full++;
    guard_leave(guard);
    return BLACKBOARD_QUEUE_FULL;
  }
  command = &blackboard_queue[(first + length) % BLACKBOARD_QUEUE];
  command->what = what;
  command->event = event;
  command->number = number;
  command->time = time;
  if(subscription != NULL) {
    command->with.subscription = subscription;
  } else {
    command->with.value = value;
  }
  length++;
  guard_leave(guard);
  blackboard_port->wake();
  return BLACKBOARD_OK;
}
/*---------------------------------------------------------------------------*/
int
blackboard_queue_subscribe(uint8_t event,
                           const struct blackboard_subscription *subscription,
                           uint32_t now)
{
  return push(COMMAND_SUBSCRIBE, event, 0, now, 0, subscription);
}
/*---------------------------------------------------------------------------*/
int
blackboard_queue_modify(uint8_t event, uint8_t number,
                        const struct blackboard_subscription *subscription,
                        uint32_t now)
{
  return push(COMMAND_MODIFY, event, number, now, 0, subscription);
}
/*---------------------------------------------------------------------------*/
int
blackboard_queue_unsubscribe(uint8_t event, uint8_t number, uint32_t now)
{
  return push(COMMAND_UNSUBSCRIBE, event, number, now, 0, NULL);
}
/*---------------------------------------------------------------------------*/
int
blackboard_queue_pause(uint8_t event, uint8_t number, bool paused, uint32_t now)
{
  return push(COMMAND_PAUSE, event, number, now, paused, NULL);
}
/*---------------------------------------------------------------------------*/
int
blackboard_queue_publish(uint8_t event, uint32_t value, uint32_t now)
{
  return push(COMMAND_PUBLISH, event, 0, now, value, NULL);
}
