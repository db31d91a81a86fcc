/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the blackboard thread: the five states of Stelte (2010), section 4. */
#include "blackboard-command.h"
#include "blackboard-handler.h"
#include "blackboard-observer.h"
#include "blackboard-prove.h"
#include "blackboard-tree.h"

extern uint32_t blackboard_published_at[];
/*---------------------------------------------------------------------------*/
/* Says what blocks the event: its own flag, or, if there are gaps, another's. */
static uint8_t
in_the_way(uint8_t event)
{
#if BLACKBOARD_STORAGE_OVERFLOWS
  uint8_t other = 0;

  while(BLACKBOARD_STORAGE_SUB_EVENTS > 0 && !blackboard_is_blocked(event)
        && other < BLACKBOARD_NUMBER_OF_EVENTS) {
    event = other++;
  }
#endif
  return event;
}
/*---------------------------------------------------------------------------*/
/* Whether an earlier request of the event stays in the queue. */
static bool
is_behind(uint_fast8_t number, uint8_t event)
{
  while(number-- > 0) {
    if(blackboard_queue_at(number)->event == event) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
/* Executes all requests, the oldest first. Those of a blocked event stay, in their order.
   Returns BLACKBOARD_DONE, or what blocks one of them. */
static uint8_t
modify(void)
{
  const struct blackboard_command *command;
  uint8_t blocked = BLACKBOARD_DONE;
  uint_fast8_t i = 0;

  blackboard_state = BLACKBOARD_STATE_MODIFY;
  while((command = blackboard_queue_at(i)) != NULL) {
    int result;

    if(is_behind(i, command->event)) {
      i++;
      continue;
    }
    result = blackboard_carry_out(command);
    if(result < 0) {
      /* The counters of errors are in the order of their numbers. */
      blackboard_command_count(BLACKBOARD_COUNTER(unknown_event) + BLACKBOARD_UNKNOWN_EVENT
                               - result);
    }
    if(result == BLACKBOARD_BUSY) {
      blocked = in_the_way(command->event);
      i++;
      continue;
    }
    if(command->what == BLACKBOARD_SUBSCRIBE
       && command->with.subscription->number != NULL) {
      *command->with.subscription->number = result;
    }
    blackboard_queue_drop(i);
  }
  return blocked;
}
/*---------------------------------------------------------------------------*/
/* Never inlined: the notice would take stack while commands are executed, which come before
   it and need that stack themselves. */
static void __attribute__((noinline))
notify(unsigned place, uint32_t now)
{
  struct blackboard_notice notice;
  struct blackboard_entry entry;
  uint_fast8_t kind;
  bool with_value;

  blackboard_storage_load(place, &entry);
  notice.event = blackboard_tree_event(BLACKBOARD_NODE(place));
  notice.number = entry.type.number - 1;
  notice.notification = BLACKBOARD_KIND_NOTIFICATION(entry.type.kind);
  notice.thread = entry.type.thread;
  notice.value = *blackboard_storage_values(notice.event);
  notice.deadline = entry.deadline;
  notice.published = blackboard_published_at[notice.event];
  if(notice.thread != BLACKBOARD_NO_THREAD
     && !blackboard_port->is_alive(notice.thread)) {
    blackboard_command_count(BLACKBOARD_COUNTER(stopped_handler));
    return;
  }
  if(notice.deadline > 0
     && notice.published + notice.deadline - now > BLACKBOARD_FARTHEST) {
    blackboard_command_count(BLACKBOARD_COUNTER(deadline_past));
  }
  notice.handler.box = (struct blackboard_box *)
    blackboard_handler_from_word(entry.handler);
  kind = notice.notification & ~BLACKBOARD_WITH_VALUE;
  with_value = notice.notification & BLACKBOARD_WITH_VALUE;
  if(kind == BLACKBOARD_BY_POLL) {
    blackboard_storage_set(place, BLACKBOARD_STORAGE_POLLED, true);
  }
  if(kind != BLACKBOARD_BY_CALLBACK && with_value) {
    notice.handler.box->value = notice.value;
  }
  blackboard_counters.notifications++; /* not by blackboard_command_count(): there is one for each notice */
  BLACKBOARD_OBSERVE(notified, &notice);
  blackboard_port->notify(&notice);
  if(kind == BLACKBOARD_BY_CALLBACK) {
    blackboard_command_taken(notice.event, notice.number);
    notice.handler.callback(notice.event, notice.number,
                            with_value ? &notice.value : NULL);
  }
}
/*---------------------------------------------------------------------------*/
/* Returns an event that was left out because it is blocked; else `blocked`. */
static uint8_t
notify_all(uint32_t now, uint8_t blocked)
{
  uint_fast8_t node = BLACKBOARD_STORAGE_NO_NODE;

  while((node = blackboard_storage_next(node)) != BLACKBOARD_STORAGE_NO_NODE) {
    uint_fast8_t event = blackboard_tree_event(node), n;
    unsigned place = BLACKBOARD_PLACE(node, 0);

    if(event < BLACKBOARD_NUMBER_OF_EVENTS) {
      for(n = blackboard_storage_number_of_places(node); n-- > 0; place++) {
        if(blackboard_storage_is(place, BLACKBOARD_STORAGE_DUE)) {
          if(blackboard_is_blocked(event)) {
            blocked = event;
          } else {
            blackboard_storage_set(place, BLACKBOARD_STORAGE_DUE, false);
            notify(place, now);
          }
        }
      }
    }
  }
  return blocked;
}
/*---------------------------------------------------------------------------*/
uint8_t
blackboard_run(uint32_t now)
{
  uint8_t blocked = modify();
  uint8_t event;

  blackboard_state = BLACKBOARD_STATE_PROVE;
  for(event = 0; event < BLACKBOARD_NUMBER_OF_EVENTS; event++) {
    if(blackboard_storage_is(BLACKBOARD_PUBLISHED(event), BLACKBOARD_STORAGE_ACTIVE)) {
      if(blackboard_is_blocked(event)) {
        blocked = event;
      } else {
        blackboard_prove(event, true);
      }
    }
  }
  blackboard_state = BLACKBOARD_STATE_NOTIFY;
  blocked = notify_all(now, blocked);
  if(blackboard_tree_is_short()) {
    blackboard_state = BLACKBOARD_STATE_OPTIMISE;
    blackboard_tree_optimise(BLACKBOARD_STORAGE_NO_NODE);
  }
  blackboard_state = BLACKBOARD_STATE_SLEEP;
  return blocked;
}
