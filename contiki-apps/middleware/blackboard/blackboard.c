/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "blackboard-command.h"
#include "blackboard-guard.h"
#include "blackboard-handler.h"
#include "blackboard-observer.h"
#include "blackboard-prove.h"
#include "blackboard-tree.h"

uint8_t blackboard_state;
struct blackboard_counters blackboard_counters;
const struct blackboard_observer *blackboard_observer;
const struct blackboard_port *blackboard_port;

/* t_published of the newest values, for which no definition has a place. */
uint32_t blackboard_published_at[BLACKBOARD_NUMBER_OF_EVENTS];

static struct blackboard_producer *producers;
/*---------------------------------------------------------------------------*/
void
blackboard_init(const struct blackboard_port *port)
{
  blackboard_port = port;
  blackboard_storage_init();
}
/*---------------------------------------------------------------------------*/
void
blackboard_command_count(uint_fast8_t counter)
{
  ((uint32_t *)&blackboard_counters)[counter]++;
}
/*---------------------------------------------------------------------------*/
void
blackboard_command_taken(uint8_t event, uint8_t number)
{
  BLACKBOARD_OBSERVE(taken, event, number);
}
/*---------------------------------------------------------------------------*/
bool
blackboard_is_wanted(uint8_t event)
{
  uint_fast8_t n;

  if(event < BLACKBOARD_NUMBER_OF_EVENTS) {
    for(n = blackboard_storage_number_of_places(event); n-- > 0;) {
      if(blackboard_storage_is(BLACKBOARD_PLACE(event, n), BLACKBOARD_STORAGE_ACTIVE)) {
        return true;
      }
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
/* After a change: tells producers to stop or to resume. */
void
blackboard_command_tell_producers(void)
{
  struct blackboard_producer *producer;

  for(producer = producers; producer != NULL; producer = producer->next) {
    bool wanted = blackboard_is_wanted(producer->event);

    if(wanted != producer->told) {
      producer->told = wanted;
      producer->wanted(producer->event, wanted);
    }
  }
}
/*---------------------------------------------------------------------------*/
void
blackboard_produce(struct blackboard_producer *producer)
{
  struct blackboard_producer **at = &producers;

  while(*at != NULL && *at != producer) {
    at = &(*at)->next;
  }
  *at = producer;
  producer->told = !blackboard_is_wanted(producer->event);
  blackboard_command_tell_producers();
}
/*---------------------------------------------------------------------------*/
static int
look_at(uint_fast8_t event)
{
  return event >= BLACKBOARD_NUMBER_OF_EVENTS ? BLACKBOARD_UNKNOWN_EVENT :
    blackboard_storage_is_sound(event) ? BLACKBOARD_OK : BLACKBOARD_BAD_POSITION;
}
/*---------------------------------------------------------------------------*/
/* The flag of a thread that has stopped stays until another thread takes it. */
bool
blackboard_is_blocked(uint8_t event)
{
  return blackboard_storage_is(BLACKBOARD_BLOCKED(event), BLACKBOARD_STORAGE_ACTIVE)
    && !blackboard_port->is_left(BLACKBOARD_FLAG(event));
}
/*---------------------------------------------------------------------------*/
int
blackboard_block(uint8_t event)
{
  int result = look_at(event);
  blackboard_guard_t guard;

  if(result < 0) {
    return result;
  }
  guard = blackboard_guard_take();
  if(blackboard_state > BLACKBOARD_STATE_MODIFY
     || blackboard_is_blocked(event)) {
    result = BLACKBOARD_BUSY;
  } else {
    blackboard_storage_set(BLACKBOARD_BLOCKED(event), BLACKBOARD_STORAGE_ACTIVE, true);
    blackboard_port->take(BLACKBOARD_FLAG(event));
  }
  blackboard_guard_leave(guard);
  return result;
}
/*---------------------------------------------------------------------------*/
void
blackboard_unblock(uint8_t event)
{
  if(event < BLACKBOARD_NUMBER_OF_EVENTS) {
    blackboard_guard_t guard = blackboard_guard_take();

    if(blackboard_port->leave(BLACKBOARD_FLAG(event))) {
      blackboard_storage_set(BLACKBOARD_BLOCKED(event), BLACKBOARD_STORAGE_ACTIVE, false);
    }
    blackboard_guard_leave(guard);
  }
}
/*---------------------------------------------------------------------------*/
/* Returns the number of the subscriber's thread, or an error. */
static int
check(const struct blackboard_subscription *subscription)
{
  uint8_t kind = subscription->notification & ~BLACKBOARD_WITH_VALUE, i;
  uintptr_t handler = (uintptr_t)subscription->handler.semaphore;

  for(i = 0; i < subscription->number_of_conditions; i++) {
    if(subscription->conditions[i].comparison > BLACKBOARD_CHANGED) {
      return BLACKBOARD_BAD_SUBSCRIPTION;
    }
  }
  if(kind < BLACKBOARD_BY_SEMAPHORE || kind > BLACKBOARD_BY_CALLBACK
     || (handler == 0 && subscription->notification != BLACKBOARD_BY_POLL)
     || blackboard_handler_from_word(blackboard_handler_to_word(handler)) != handler) {
    return BLACKBOARD_BAD_SUBSCRIPTION;
  }
  if(subscription->deadline >= BLACKBOARD_FARTHEST
     || (subscription->deadline > 0 && subscription->thread == NULL)) {
    return BLACKBOARD_BAD_DEADLINE;
  }
  return subscription->thread == NULL ? BLACKBOARD_NO_THREAD
    : blackboard_port->number(subscription->thread);
}
/*---------------------------------------------------------------------------*/
static void
publish(uint8_t event, uint32_t value, uint32_t time)
{
  uint32_t *values = blackboard_storage_values(event);

  memmove(values + 1, values,
          (blackboard_storage_number_of_values(event) - 1) * sizeof(*values));
  *values = value;
  blackboard_published_at[event] = time;
  blackboard_command_count(BLACKBOARD_COUNTER(publications));
  /* Unless it is quenched: blackboard_tree_settle(). */
  blackboard_storage_set(BLACKBOARD_PUBLISHED(event), BLACKBOARD_STORAGE_ACTIVE, true);
  BLACKBOARD_OBSERVE(published, event, value);
}
/*---------------------------------------------------------------------------*/
/* Of a subscription. */
static int
change(const struct blackboard_command *command, uint_fast8_t thread)
{
  uint_fast8_t event = command->event, number = command->number;
  int result = BLACKBOARD_OK, place;

  /* A new subscriber isn't notified of values that were published before. */
  if(blackboard_storage_is(BLACKBOARD_PUBLISHED(event), BLACKBOARD_STORAGE_ACTIVE)) {
    blackboard_prove(event, true);
  }
  if(command->what == BLACKBOARD_SUBSCRIBE) {
    for(number = 0; blackboard_tree_find(event, number) != BLACKBOARD_NO_PLACE; number++) {
    }
    result = number;
  }
  place = blackboard_tree_find(event, number);
  if(command->what > BLACKBOARD_SUBSCRIBE && place == BLACKBOARD_NO_PLACE) {
    return BLACKBOARD_UNKNOWN_SUBSCRIPTION;
  }
  switch(command->what) {
  case BLACKBOARD_UNSUBSCRIBE:
    blackboard_tree_vacate(place);
    break;
  case BLACKBOARD_PAUSE:
    blackboard_storage_set(place, BLACKBOARD_STORAGE_ACTIVE, !command->with.value);
    blackboard_storage_set(place, BLACKBOARD_STORAGE_DUE, false);
    break;
  default:
    place = blackboard_tree_put(event, number, thread, command->with.subscription);
    if(place < 0) {
      result = place;
    }
  }
  return result;
}
/*---------------------------------------------------------------------------*/
int
blackboard_carry_out(const struct blackboard_command *command)
{
  uint8_t event = command->event;
  int result, thread = BLACKBOARD_NO_THREAD;

  if(command->what <= BLACKBOARD_MODIFY) {
    thread = check(command->with.subscription);
    if(thread < 0) {
      return thread;
    }
  }
  result = blackboard_block(event);
  if(result < 0) {
    return result;
  }
  blackboard_command_count(BLACKBOARD_COUNTER(commands));
  if(command->what == BLACKBOARD_PUBLISH) {
    publish(event, command->with.value, command->time);
  } else {
    result = change(command, thread);
  }
  blackboard_tree_settle(event);
  if(blackboard_state == BLACKBOARD_STATE_SLEEP
     && blackboard_storage_is(BLACKBOARD_PUBLISHED(event), BLACKBOARD_STORAGE_ACTIVE)) {
    blackboard_port->wake();
  }
  blackboard_unblock(event);
  blackboard_command_tell_producers();
  return result;
}
/*---------------------------------------------------------------------------*/
int
blackboard_read(uint8_t event, uint8_t age, uint32_t *value)
{
  int result = look_at(event);

  if(result == BLACKBOARD_OK) {
    if(age >= blackboard_storage_number_of_values(event)) {
      return BLACKBOARD_BAD_POSITION;
    }
    *value = blackboard_storage_values(event)[age];
  }
  return result;
}
/*---------------------------------------------------------------------------*/
int
blackboard_poll(uint8_t event, uint8_t number)
{
  int place = look_at(event);

  if(place < 0) {
    return place;
  }
  place = blackboard_tree_find(event, number);
  if(place == BLACKBOARD_NO_PLACE) {
    return BLACKBOARD_UNKNOWN_SUBSCRIPTION;
  }
  if(!blackboard_storage_is(place, BLACKBOARD_STORAGE_POLLED)) {
    return 0;
  }
  blackboard_storage_set(place, BLACKBOARD_STORAGE_POLLED, false);
  blackboard_command_taken(event, number);
  return 1;
}
