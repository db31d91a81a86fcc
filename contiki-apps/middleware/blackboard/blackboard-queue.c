/* SPDX-License-Identifier: Apache-2.0 */
#include "blackboard-command.h"
#include "blackboard-guard.h"

_Static_assert(BLACKBOARD_QUEUE > 0 && BLACKBOARD_QUEUE < 256, "an index");

struct blackboard_command blackboard_commands[BLACKBOARD_QUEUE];
static struct {
  uint8_t first, length;
} queue;
/*---------------------------------------------------------------------------*/
const struct blackboard_command *
queue_first(void)
{
  return queue.length == 0 ? NULL : &blackboard_commands[queue.first];
}
/*---------------------------------------------------------------------------*/
void
queue_drop(void)
{
  guard_t guard = guard_take();

  queue.first = (queue.first + 1) % BLACKBOARD_QUEUE;
  queue.length--;
  guard_leave(guard);
}
/*---------------------------------------------------------------------------*/
int
blackboard_queue(const struct blackboard_command *command)
{
  guard_t guard = guard_take();
  bool is_full = queue.length == BLACKBOARD_QUEUE;

  if(!is_full) {
    blackboard_commands[(queue.first + queue.length) % BLACKBOARD_QUEUE] =
      *command;
    queue.length++;
  }
  guard_leave(guard);
  if(is_full) {
    command_count(COUNTER(queue_full));
    return BLACKBOARD_QUEUE_FULL;
  }
  blackboard_port->wake();
  return BLACKBOARD_OK;
}
