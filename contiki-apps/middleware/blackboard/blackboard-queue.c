/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "blackboard-command.h"
#include "blackboard-guard.h"

_Static_assert(BLACKBOARD_QUEUE > 0 && BLACKBOARD_QUEUE < 256, "an index");

struct blackboard_command blackboard_commands[BLACKBOARD_QUEUE];
static uint8_t length;
/*---------------------------------------------------------------------------*/
const struct blackboard_command *
blackboard_queue_at(uint_fast8_t number)
{
  return number < length ? &blackboard_commands[number] : NULL;
}
/*---------------------------------------------------------------------------*/
void
blackboard_queue_drop(uint_fast8_t number)
{
  blackboard_guard_t guard = blackboard_guard_take();

  length--;
  memmove(&blackboard_commands[number], &blackboard_commands[number + 1],
          (length - number) * sizeof(blackboard_commands[0]));
  blackboard_guard_leave(guard);
}
/*---------------------------------------------------------------------------*/
int
blackboard_queue(const struct blackboard_command *command)
{
  blackboard_guard_t guard = blackboard_guard_take();
  bool is_full = length == BLACKBOARD_QUEUE;

  if(!is_full) {
    blackboard_commands[length++] = *command;
  }
  blackboard_guard_leave(guard);
  if(is_full) {
    blackboard_command_count(BLACKBOARD_COUNTER(queue_full));
    return BLACKBOARD_QUEUE_FULL;
  }
  blackboard_port->wake();
  return BLACKBOARD_OK;
}
