/* SPDX-License-Identifier: Apache-2.0 */
/* What the blackboard thread does: the five states of Stelte (2010), 4. */
#include "blackboard-command.h"
#include "blackboard-handler.h"
#include "blackboard-observer.h"
#include "blackboard-prove.h"
#include "blackboard-tree.h"

extern uint32_t blackboard_published_at[];
/*---------------------------------------------------------------------------*/
/* All requests, the oldest first. False: the next one's event is blocked. */
static bool
modify(void)
{
  const struct command *command;

  blackboard_state = BLACKBOARD_MODIFY;
  while((command = queue_first()) != NULL) {
    int result = command_carry_out(command);

    if(result < 0) {
      /* The counters of errors are in the order of their numbers. */
      (&blackboard_counters.unknown_event)[BLACKBOARD_UNKNOWN_EVENT
                                           - result]++;
    }
    if(result == BLACKBOARD_BUSY) {
      return false;
    }
    if(command->what == COMMAND_SUBSCRIBE
       && command->with.subscription->number != NULL) {
      *command->with.subscription->number = result;
    }
    queue_drop();
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static void
notify(struct spot at, uint32_t now)
{
  uint32_t type = TYPE(at);
  uint32_t word = HANDLER(at);
  struct blackboard_notice notice = {
    .event = tree_event(at.node),
    .number = TYPE_NUMBER(type),
    .notification = TYPE_NOTIFICATION(type),
    .thread = TYPE_THREAD(type),
    .value = *storage_word(at.node, STORAGE_VALUE, 0),
    .deadline = *storage_deadline(at.node, at.place)
  };
  uint8_t kind = notice.notification & ~BLACKBOARD_WITH_VALUE;
  bool with_value = notice.notification & BLACKBOARD_WITH_VALUE;

  notice.published = blackboard_published_at[notice.event];
  if(notice.thread != BLACKBOARD_NO_THREAD
     && !blackboard_port->is_alive(notice.thread)) {
    blackboard_counters.stopped_handler++;
    return;
  }
  if(notice.deadline > 0
     && (int32_t)(notice.published + notice.deadline - now) < 0) {
    blackboard_counters.deadline_past++;
  }
  if(kind == BLACKBOARD_BY_CALLBACK) {
    notice.callback = (blackboard_callback_t)handler_from_word(word);
  } else {
    notice.handler = (void *)handler_from_word(word);
    if(with_value) {
      ((struct blackboard_box *)notice.handler)->value = notice.value;
    }
    if(kind == BLACKBOARD_BY_POLL) {
      storage_set(at.node, at.place, STORAGE_POLLED, true);
    }
  }
  blackboard_counters.notifications++;
  BLACKBOARD_OBSERVE(notified, &notice);
  blackboard_port->notify(&notice);
  if(notice.callback != NULL) {
    BLACKBOARD_OBSERVE(taken, notice.event, notice.number);
    notice.callback(notice.event, notice.number,
                    with_value ? &notice.value : NULL);
  }
}
/*---------------------------------------------------------------------------*/
/* False: a blocked event is left out. */
static bool
notify_all(uint32_t now)
{
  bool done = true;
  uint8_t node = STORAGE_NO_NODE;

  while((node = storage_next(node)) != STORAGE_NO_NODE) {
    struct spot at = { node, 0 };
    uint8_t event = tree_event(node);

    if(event == STORAGE_NO_NODE) {
      continue;
    }
    for(; at.place < storage_places(node); at.place++) {
      if(storage_is(node, at.place, STORAGE_DUE)) {
        if(storage_is(event, 0, STORAGE_BLOCKED)) {
          done = false;
        } else {
          storage_set(node, at.place, STORAGE_DUE, false);
          notify(at, now);
        }
      }
    }
  }
  return done;
}
/*---------------------------------------------------------------------------*/
bool
blackboard_run(uint32_t now)
{
  bool done = modify();
  uint8_t event;

  blackboard_state = BLACKBOARD_PROVE;
  for(event = 0; event < BLACKBOARD_NUMBER_OF_EVENTS; event++) {
    if(storage_is(event, 0, STORAGE_PUBLISHED)) {
      if(storage_is(event, 0, STORAGE_BLOCKED)) {
        done = false;
      } else {
        prove(event, true);
      }
    }
  }
  blackboard_state = BLACKBOARD_NOTIFY;
  done &= notify_all(now);
  if(tree_is_short()) {
    blackboard_state = BLACKBOARD_OPTIMISE;
    tree_optimise(STORAGE_NO_NODE);
  }
  blackboard_state = BLACKBOARD_SLEEP;
  return done;
}
