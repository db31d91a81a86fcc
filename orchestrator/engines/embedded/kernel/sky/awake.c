/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/awake.h"

#include "base/exact.h"
#include "base/memory.h"
#include "base/report.h"
#include "observation/watch.h"
#include "radio/medium.h"

#include <stdlib.h>
#include <string.h>

enum { FARTHEST_US = 200 };      /* less than 14 symbols of 16 us */
enum { BETWEEN_BYTES_US = 64 }; /* at least: they take 32 us */

static struct {
  struct time_event event; /* first member */
  bool every_slice, ahead_allowed;
  struct awake_mote **motes; /* in the order in which they run */
  uint32_t count;
  int64_t done_us;      /* the time at which they ran last */
  int64_t front_us;     /* the time at which the first `front` of them woke */
  uint32_t front;
  int senders;
  uint32_t taken;    /* so many of them have had their turn at `done_us`; 0: all */
  bool taking_turns;
  struct deeds deeds; /* of all that run ahead together */
} list;

void
awake_init(struct simulation *simulation, bool every_slice, bool script_acts, awake_do *function)
{
  list.every_slice = every_slice;
  ahead_init(function);
  list.motes = allocate(simulation->mote_capacity + 1, sizeof(*list.motes));
  list.done_us = list.front_us = -1;
  event_init(&list.event.event);
  list.ahead_allowed = !every_slice && !script_acts;
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    const struct mote *mote = &simulation->motes[i];
    list.ahead_allowed &= mote->sky != NULL && mote->deviation == 1.0;
  }
}

void
awake_count_sender(int change)
{
  list.senders += change;
}

void
awake_note_byte(struct awake_mote *awake)
{
  if(ahead_mote() != NULL) {
    report_error(ERROR_KERNEL, "mote %d sends while it runs ahead of the others", ahead_mote()->mote->id);
  }
  awake->sends_until_us = awake->simulation->queue.now + BETWEEN_BYTES_US;
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
  if(awake->ahead) { /* it has run up to now already; Cooja would give it an event behind the others */
    if(is_after(simulation)) {
      take_out(awake);
      insert(awake, now);
    }
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

/* ---- turns ---- */

/* It has run up to now by itself, and now the others may notice. Returns whether it stays awake. */
static bool
finish(struct awake_mote *awake, int64_t now)
{
  awake->ahead = false;
  if(awake->own.count > 0 && awake->own.each[awake->own.count - 1].what == DEED_SLEEP) {
    awake->listed = false;
    awake->mote->wakeup.queued = false;
    ahead_do(awake->simulation, &awake->own);
    return false;
  }
  set_next(awake, now + 1);
  ahead_do(awake->simulation, &awake->own);
  return true;
}

/* Runs one slice; returns whether it stays awake. */
static bool
run_due(struct simulation *simulation, struct awake_mote *awake, int64_t now)
{
  int64_t next;

  if(list.ahead_allowed && awake->deaf && now >= awake->sends_until_us && msp430_spi_rests(awake->mcu)) {
    ahead_run_alone(awake, now);
    awake->ahead = true;
    set_next(awake, awake->last_us);
    return awake->next_us > now || finish(awake, now);
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

/* Each that has to runs for 1 us, or by itself for longer. Returns false if some have to run yet when what interrupts them
   has happened. */
static bool
run_once(struct simulation *simulation, int64_t now)
{
  if(list.done_us != now) {
    list.done_us = now;
    list.taken = 0;
  }
  while(list.taken < list.count && !interrupted(simulation)) {
    struct awake_mote *awake = list.motes[list.taken++];
    if(awake->next_us == now && !queue_holds(&awake->mote->wakeup) &&
       !(awake->ahead ? finish(awake, now) : run_due(simulation, awake, now))) {
      take_out_at(list.taken - 1);
    }
  }
  if(list.taken < list.count) {
    return false;
  }
  list.taken = 0;
  return true;
}

static int
compare_places(const void *left, const void *right)
{
  const struct awake_mote *a = *(struct awake_mote *const *)left, *b = *(struct awake_mote *const *)right;

  return ahead_compare(a->rank, b->rank);
}

static void
run_many(struct simulation *simulation, int64_t now, int64_t end)
{
  uint32_t kept = 0;
  bool woken = false;

  ahead_begin();
  for(uint32_t i = 0; i < list.count; i++) {
    struct awake_mote *awake = list.motes[i];
    ahead_place(awake, i);
    if(!awake->ahead) {
      ahead_run(awake, awake->next_us, end, &list.deeds);
      awake->next_us = awake->mote->wakeup.time = end;
    }
  }
  for(uint32_t i = 0; i < list.count; i++) {
    struct awake_mote *awake = list.motes[i];
    awake->listed = awake->mote->wakeup.queued;
    if(awake->listed) {
      list.motes[kept++] = awake;
      woken |= ahead_woke(awake);
    }
  }
  list.count = kept;
  list.done_us = end - 1;
  ahead_sort(&list.deeds);
  ahead_do(simulation, &list.deeds);
  if(!simulation->log.closed) {
    simulation->queue.now = now;
  }
  if(woken) {
    qsort(list.motes, list.count, sizeof(*list.motes), compare_places);
  }
}

/* The time before which nothing can come to a mote that runs from now on. */
static int64_t
end_of_run(const struct simulation *simulation, int64_t now)
{
  int64_t end = now + FARTHEST_US, bound;

  if(!list.ahead_allowed || list.senders > 0 || simulation->medium->first != NULL) {
    return now + 1;
  }
  for(uint32_t i = 0; i < list.count; i++) {
    const struct awake_mote *awake = list.motes[i];
    if(queue_holds(&awake->mote->wakeup) || now < awake->sends_until_us || (awake->ahead && awake->next_us <= now + 1)) {
      return now + 1;
    }
    if(awake->ahead && awake->next_us < end) {
      end = awake->next_us;
    }
  }
  bound = queue_bound(&simulation->queue);
  return bound < end ? bound : end;
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
    int64_t end = end_of_run(simulation, now);
    if(end > now + 1) {
      run_many(simulation, now, end);
      now = end;
    } else if(run_once(simulation, now)) {
      now++;
    } else {
      queue_next_event(&simulation->queue);
      queue_put_back(&simulation->queue, &event->event, now);
      break;
    }
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
