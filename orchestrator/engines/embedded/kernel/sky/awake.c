/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/awake.h"

#include "base/exact.h"
#include "base/memory.h"
#include "observation/watch.h"
#include "radio/medium.h"

#include <string.h>

enum { FARTHEST_US = 200 }; /* less than 14 symbols of 16 us */
enum { ALONE_US = 1000 };

static struct {
  struct time_event event; /* first member */
  bool every_slice, ahead_allowed;
  struct awake_mote **motes; /* in the order in which they run */
  uint32_t count;
  int64_t done_us;      /* the time at which they ran last */
  int64_t front_us;     /* the time at which the first `front` of them woke */
  uint32_t front;
  uint32_t taken; /* so many of them have had their turn at `done_us`; 0: all */
  bool taking_turns;
} list;

void
awake_init(struct simulation *simulation, bool every_slice, bool acts, awake_do *function)
{
  list.every_slice = every_slice;
  ahead_init(function);
  list.motes = allocate(simulation->mote_capacity + 1, sizeof(*list.motes));
  list.done_us = list.front_us = -1;
  event_init(&list.event.event);
  list.ahead_allowed = !every_slice && !acts;
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    const struct mote *mote = &simulation->motes[i];
    list.ahead_allowed &= mote->sky != NULL && mote->deviation == 1.0;
  }
}

/* ---- the list ---- */

/* While a mote is in it, the queue holds the mote's own event only if something has woken the mote to run again at once. */

static void take_turn(struct simulation *simulation, struct time_event *event);

static void
queue_turn(struct simulation *simulation, int64_t time)
{
  list.event.execute = take_turn;
  queue_insert_last(&simulation->queue, &list.event.event, time);
}

static void
set_next(struct awake_mote *awake, int64_t time)
{
  awake->next_us = time;
  awake->mote->wakeup.queued = true;
  awake->mote->wakeup.time = awake->ahead ? INT64_MIN : time; /* so that nothing wakes one that is ahead */
}

/* Do events that run now come after the awake motes at this time? */
static bool
is_after(const struct simulation *simulation)
{
  return list.done_us == simulation->queue.now || queue_inserted_now(&simulation->queue);
}

static void
insert(struct awake_mote *awake, int64_t now)
{
  uint32_t place = list.count;

  if(!is_after(awake->simulation)) {
    if(list.front_us != now) {
      list.front_us = now;
      list.front = 0;
    }
    place = list.front++;
    memmove(&list.motes[place + 1], &list.motes[place], (list.count - place) * sizeof(*list.motes));
  }
  list.motes[place] = awake;
  list.count++;
  awake->listed = true;
}

static void
join(struct awake_mote *awake, int64_t now)
{
  insert(awake, now);
  queue_give_up_place(&awake->simulation->queue, &awake->mote->wakeup);
  set_next(awake, now + 1);
  if(!list.event.event.queued || list.event.event.time > now + 1) {
    queue_turn(awake->simulation, now + 1);
  }
}

static void
take_out_at(uint32_t place)
{
  list.count--;
  memmove(&list.motes[place], &list.motes[place + 1], (list.count - place) * sizeof(*list.motes));
  list.front -= place < list.front;
  list.taken -= place < list.taken;
}

static void
take_out(const struct awake_mote *awake)
{
  uint32_t place = 0;

  while(list.motes[place] != awake) {
    place++;
  }
  take_out_at(place);
}

void
awake_leave(struct awake_mote *awake)
{
  if(!awake->listed) {
    return;
  }
  take_out(awake);
  awake->listed = awake->ahead = false;
  if(!queue_holds(&awake->mote->wakeup)) {
    awake->mote->wakeup.queued = false;
  }
}

bool
awake_is_ahead(const struct awake_mote *awake)
{
  return awake->ahead && (awake->begun || awake->simulation->queue.now < awake->next_us);
}

/* ---- slices ---- */

/* The us that its clock passes in `us` of simulated time; what is left of a us adds up. */
static int64_t
deviated(struct awake_mote *awake, int64_t us)
{
  double exact = (double)us * awake->mote->deviation;
  int64_t whole = to_int(floor(exact));

  awake->jump_error += exact - (double)whole;
  if(awake->jump_error > 1.0) {
    whole++;
    awake->jump_error -= 1.0;
  }
  return whole;
}

/* Runs it from the present time on; returns when it has to run next. */
static int64_t
run_slice(struct awake_mote *awake, int64_t now, int64_t duration_us)
{
  const struct mote *mote = awake->mote;
  int64_t jump = now > awake->last_us ? now - awake->last_us : 0, until;

  if(mote->deviation != 1.0) {
    jump = deviated(awake, jump);
  }
  until = msp430_step(awake->mcu, jump, duration_us) + duration_us;
  if(mote->deviation != 1.0) {
    until = to_int(floor((double)until * (1.0 / mote->deviation)));
  }
  awake->last_us = now;
  return now + until;
}

/* It has run up to now already, but Cooja would give it an event behind the others, and after that its next place is there. */
static void
pass_others(struct awake_mote *awake, int64_t now, int64_t duration_us)
{
  struct event_queue *queue = &awake->simulation->queue;

  if(duration_us > 0) {
    take_out(awake);
    insert(awake, now);
    queue_give_up_place(queue, &awake->mote->wakeup);
    set_next(awake, awake->next_us);
  } else if(is_after(awake->simulation) && !queue_holds(&awake->mote->wakeup)) {
    queue_insert(queue, &awake->mote->wakeup, now);
  }
}

void
awake_run(struct awake_mote *awake, int64_t duration_us)
{
  struct simulation *simulation = awake->simulation;
  struct mote *mote = awake->mote;
  int64_t now = simulation->queue.now, next;

  if(!awake->booted && now + mote->drift_us < 0) {
    queue_wake(&simulation->queue, &mote->wakeup, -mote->drift_us);
    return;
  }
  awake->booted = true;
  awake->last_us = awake->last_us < 0 ? now : awake->last_us;
  if(awake_is_ahead(awake)) {
    pass_others(awake, now, duration_us);
    return;
  }
  if(duration_us > 0) {
    awake_leave(awake);
  }
  next = run_slice(awake, now, duration_us);
  if(duration_us > 0 && next == now + 1 && !list.every_slice && !mote->wakeup.queued) {
    join(awake, now);
  } else {
    queue_wake(&simulation->queue, &mote->wakeup, next);
  }
  queue_next_event(&simulation->queue);
}

void
awake_disturb(struct awake_mote *awake)
{
  struct event_queue *queue = &awake->simulation->queue;
  int64_t rest = -1;

  if(!awake->listed && awake->undisturbed_us == awake->last_us) {
    return;
  }
  if(!list.every_slice && !awake->listed && awake->booted && awake->mote->deviation == 1.0 && queue->now > awake->last_us) {
    rest = msp430_rest(awake->mcu, queue->now - awake->last_us);
  }
  if(rest < 0) {
    awake_run(awake, 0);
    return;
  }
  queue_wake(queue, &awake->mote->wakeup, queue->now + rest); /* by rounding it may be a us earlier than before */
  if(awake->mote->wakeup.time <= awake->last_us + msp430_least_rest(awake->mcu) && !ahead_can_interrupt(awake)) {
    awake->undisturbed_us = awake->last_us;
  }
}

/* ---- turns ---- */

static bool
is_due(const struct awake_mote *awake, int64_t now)
{
  return awake->next_us == now && !queue_holds(&awake->mote->wakeup);
}

static void
run_ahead(struct awake_mote *awake, int64_t now, int64_t most)
{
  ahead_run(awake, now, most);
  awake->ahead = true;
  set_next(awake, awake->next_us);
}

/*
 * Runs those that can't notice others, whatever these do, and returns the time before which nothing can come to any other one: a
 * radio sends its first byte 224 us after its strobe at the earliest, and the next one at a known time. Nothing else changes what
 * others hear: that a radio is switched on or off, or to another channel, has them measure the same strength again.
 */
static int64_t
run_lonely(const struct simulation *simulation, int64_t now)
{
  const struct medium *medium = simulation->medium;
  int64_t end = now + FARTHEST_US, bound = queue_bound(&simulation->queue);

  for(uint32_t i = 0; i < list.count; i++) {
    struct awake_mote *awake = list.motes[i];
    if(!awake->ahead && is_due(awake, now) && ahead_is_alone(awake) && msp430_is_awake(awake->mcu)) {
      run_ahead(awake, now, ALONE_US);
    }
    if(ahead_sends(awake)) {
      int64_t next = awake->ahead ? awake->next_us : now;
      end = next < end ? next : end;
    }
  }
  if(medium->first != NULL && medium->rules->update_all != NULL) {
    end = now; /* each change of a radio draws other strengths */
  }
  end = bound < end ? bound : end;
  return end > now ? end : now + 1;
}

/* Does what it did up to now, and runs it on, at most to `end` if it can notice others; returns whether it stays awake. */
static bool
run_due(struct simulation *simulation, struct awake_mote *awake, int64_t now, int64_t end)
{
  int64_t next;

  while(true) {
    if(awake->ahead) {
      awake->ahead = false;
      set_next(awake, now);
      ahead_do(awake);
      if(awake->ended) {
        set_next(awake, now + 1);
        return true;
      }
      end = awake->begun ? now + 1 : end;
    }
    if(!list.ahead_allowed || !msp430_is_awake(awake->mcu)) {
      break;
    }
    if(ahead_is_alone(awake)) {
      run_ahead(awake, now, ALONE_US);
    } else if(end > now + 1) {
      run_ahead(awake, now, end - now);
    } else {
      break;
    }
    if(awake->next_us > now) {
      return true;
    }
  }
  awake->mote->wakeup.queued = false;
  next = run_slice(awake, now, 1);
  if(next == now + 1 && !awake->mote->wakeup.queued) {
    set_next(awake, next);
    return true;
  }
  awake->listed = false;
  queue_wake(&simulation->queue, &awake->mote->wakeup, next);
  return false;
}

/* Does something have to happen before the next mote runs? In Cooja each has an event of its own. */
static bool
interrupted(const struct simulation *simulation)
{
  return simulation->requests != NULL || simulation->due || simulation->log.closed;
}

/* Runs each that has to, for 1 us or ahead of the others. Returns false if some have to run yet when what interrupts them has
   happened. */
static bool
run_all(struct simulation *simulation, int64_t now)
{
  int64_t end = list.ahead_allowed ? run_lonely(simulation, now) : now + 1;

  if(list.done_us != now) {
    list.done_us = now;
    list.taken = 0;
  }
  while(list.taken < list.count && !interrupted(simulation)) {
    struct awake_mote *awake = list.motes[list.taken++];
    if(is_due(awake, now) && !run_due(simulation, awake, now, end)) {
      take_out_at(list.taken - 1);
    }
  }
  if(list.taken < list.count) {
    return false;
  }
  list.taken = 0;
  return true;
}

/* The next time at which one of them has to run, or to do something. */
static int64_t
next_turn(int64_t now)
{
  int64_t next = INT64_MAX;

  for(uint32_t i = 0; i < list.count && next > now; i++) {
    next = list.motes[i]->next_us < next ? list.motes[i]->next_us : next;
  }
  return next > now ? next : now;
}

static void
take_turn(struct simulation *simulation, struct time_event *event)
{
  int64_t now = simulation->queue.now;

  list.taking_turns = true;
  while(list.count > 0) {
    if(!run_all(simulation, now)) {
      queue_next_event(&simulation->queue);
      queue_put_back(&simulation->queue, &event->event, now);
      break;
    }
    now++;
    queue_next_event(&simulation->queue);
    if(list.count == 0) {
      break;
    }
    now = next_turn(now);
    if(interrupted(simulation) || watch_wanted || queue_bound(&simulation->queue) <= now) {
      queue_turn(simulation, now);
      break;
    }
    simulation->queue.now = now;
  }
  list.taking_turns = false;
}

void
awake_resume(struct simulation *simulation)
{
  if(list.taking_turns) {
    list.taking_turns = false;
    queue_put_back(&simulation->queue, &list.event.event, simulation->queue.now);
  }
}
