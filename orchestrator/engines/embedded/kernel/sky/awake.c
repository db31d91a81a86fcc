/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/awake.h"

#include "base/exact.h"
#include "base/memory.h"
#include "base/report.h"
#include "observation/watch.h"
#include "radio/medium.h"
#include "script/script.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { FARTHEST_US = 200 };      /* less than 14 symbols of 16 us */
enum { BETWEEN_BYTES_US = 64 }; /* at least: they take 32 us */

struct deed {
  int64_t time;
  int64_t woken, slept; /* the mote's, when it did this */
  uint32_t place, number; /* of the mote in the list; of the deed among all */
  struct awake_mote *awake;
  enum awake_deed what;
  int first, second;
  int64_t wake; /* of AWAKE_SLEEP */
  size_t text, length; /* in `texts` */
};

static struct {
  struct time_event event; /* first member */
  struct simulation *simulation;
  bool every_slice, ahead_allowed;
  awake_do *function;
  struct awake_mote **motes; /* in the order in which they run */
  uint32_t count;
  int64_t done_us;      /* the time at which they ran last */
  int64_t front_us;     /* the time at which the first `front` of them woke */
  uint32_t front;
  int senders;
  int64_t busy_until_us; /* a radio may still be sending */
  /* A run of many us. */
  struct awake_mote *ahead; /* the mote that runs, or NULL */
  uint32_t place;
  struct deed *deeds;
  uint32_t deed_count, deed_size;
  char *texts;
  size_t text_count, text_size;
  jmp_buf faulted;
} list;

void
awake_init(struct simulation *simulation, bool every_slice, awake_do *function)
{
  list.simulation = simulation;
  list.every_slice = every_slice;
  list.function = function;
  list.motes = allocate(simulation->mote_capacity + 1, sizeof(*list.motes));
  list.done_us = list.front_us = list.busy_until_us = -1;
  event_init(&list.event.event);
  list.ahead_allowed = !every_slice && !simulation->script_acts && !simulation->script->driven && simulation->outside == NULL &&
                       simulation->printed == NULL;
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
awake_note_byte(struct simulation *simulation)
{
  if(list.ahead != NULL) {
    report_error(ERROR_KERNEL, "mote %d sends while it runs ahead of the others", list.ahead->mote->id);
  }
  list.busy_until_us = simulation->queue.now + BETWEEN_BYTES_US;
}

/* ---- the list ---- */

/* Something may have put a listed mote's event into the queue, to run again at once. */
static bool
is_queued(const struct mote *mote)
{
  return mote->wakeup.due != 0 || mote->wakeup.place_time != INT64_MIN;
}

static void take_turn(struct simulation *simulation, struct time_event *event);

static void
queue_turn(struct simulation *simulation, int64_t time)
{
  time_event_insert(&simulation->queue, &list.event, take_turn, time);
}

static void
join(struct awake_mote *awake, int64_t now)
{
  uint32_t place = list.count;

  if(list.done_us < now) { /* they run at this time after it */
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
  queue_give_up_place(&awake->simulation->queue, &awake->mote->wakeup);
  awake->mote->wakeup.queued = true;
  awake->mote->wakeup.time = now + 1;
  if(!list.event.event.queued && list.count == 1) {
    queue_turn(awake->simulation, now + 1);
  }
}

void
awake_leave(struct awake_mote *awake)
{
  uint32_t place = 0;

  if(!awake->listed) {
    return;
  }
  while(list.motes[place] != awake) {
    place++;
  }
  list.count--;
  memmove(&list.motes[place], &list.motes[place + 1], (list.count - place) * sizeof(*list.motes));
  list.front -= place < list.front;
  awake->listed = false;
  if(!is_queued(awake->mote)) {
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

/* Each runs for 1 us. */
static void
run_once(struct simulation *simulation, int64_t now)
{
  uint32_t kept = 0;

  list.done_us = now;
  for(uint32_t i = 0; i < list.count; i++) {
    struct awake_mote *awake = list.motes[i];
    int64_t next;
    if(awake->mote->wakeup.time == now && !is_queued(awake->mote)) {
      awake->mote->wakeup.queued = false;
      next = run_slice(awake, now, 1);
      if(next == now + 1 && !awake->mote->wakeup.queued) {
        awake->mote->wakeup.queued = true;
        awake->mote->wakeup.time = next;
      } else {
        awake->listed = false;
        queue_wake(&simulation->queue, &awake->mote->wakeup, next);
        continue;
      }
    }
    list.motes[kept++] = awake;
  }
  list.count = kept;
}

/* ---- runs of many us ---- */

static int
compare_deeds(const void *left, const void *right)
{
  const struct deed *a = left, *b = right;

  if(a->time != b->time) {
    return a->time < b->time ? -1 : 1;
  }
  if(a->awake == b->awake) {
    return a->number < b->number ? -1 : 1;
  }
  if(a->woken != b->woken) { /* who woke last comes first */
    return a->woken > b->woken ? -1 : 1;
  }
  if(a->slept != b->slept) {
    return a->slept < b->slept ? -1 : 1;
  }
  return a->place < b->place ? -1 : 1;
}

static struct deed *
new_deed(enum awake_deed what)
{
  struct deed *deed;

  list.deeds = with_room(list.deeds, list.deed_count, &list.deed_size, 64, sizeof(*list.deeds));
  deed = &list.deeds[list.deed_count];
  *deed = (struct deed){.time = -1, .woken = list.ahead->woken, .slept = list.ahead->slept, .place = list.place,
                        .number = list.deed_count++, .awake = list.ahead, .what = what};
  return deed;
}

static void
keep_text(struct deed *deed, const char *text, size_t length)
{
  if(list.text_count + length > list.text_size) {
    list.text_size = 2 * (list.text_count + length);
    list.texts = reallocate(list.texts, list.text_size, 1);
  }
  memcpy(list.texts + list.text_count, text, length);
  deed->text = list.text_count;
  deed->length = length;
  list.text_count += length;
}

bool
awake_keep(enum awake_deed what, int first, int second, const char *text, size_t length)
{
  struct deed *deed;

  if(list.ahead == NULL) {
    return false;
  }
  deed = new_deed(what);
  deed->first = first;
  deed->second = second;
  if(length > 0) {
    keep_text(deed, text, length);
  }
  msp430_pause(list.ahead->mcu);
  return true;
}

void
awake_keep_fault(const char *text, size_t length)
{
  if(list.ahead != NULL) {
    keep_text(new_deed(AWAKE_FAULT), text, length);
    longjmp(list.faulted, 1);
  }
}

/* The deeds that have been kept since the first one of these happened in the slice at this time. */
static void
date(uint32_t first, int64_t time)
{
  for(uint32_t i = first; i < list.deed_count; i++) {
    list.deeds[i].time = time;
  }
}

/* One mote, from `from` to before `end`. */
static void
run_ahead(struct awake_mote *awake, int64_t from, int64_t end)
{
  static int64_t now, jump;
  static uint32_t first; /* these have to be known after a fault */

  now = from;
  jump = from - awake->last_us;
  awake->woken = awake->slept = -1;
  list.ahead = awake;
  if(setjmp(list.faulted) != 0) {
    date(first, now + msp430_run_so_far(awake->mcu) - 1);
    now = end;
  }
  while(now < end) {
    int64_t ran, wait;
    first = list.deed_count;
    wait = msp430_run(awake->mcu, jump, end - now, &ran);
    awake->last_us = now + ran - 1;
    date(first, awake->last_us);
    now += ran;
    jump = 1;
    if(wait > 0) {
      int64_t wake = now + wait;
      if(wake >= end) {
        struct deed *deed = new_deed(AWAKE_SLEEP);
        deed->time = awake->last_us;
        deed->wake = wake;
        awake->mote->wakeup.queued = false;
        break;
      }
      awake->slept = awake->last_us;
      awake->woken = wake;
      jump = wake - awake->last_us;
      now = wake;
    }
  }
  awake->mote->wakeup.time = end;
  list.ahead = NULL;
}

static int
compare_places(const void *left, const void *right)
{
  const struct awake_mote *a = *(struct awake_mote *const *)left, *b = *(struct awake_mote *const *)right;

  if(a->woken != b->woken) {
    return a->woken > b->woken ? -1 : 1;
  }
  return a->slept < b->slept ? -1 : 1;
}

/* Those that woke during the run come first, the latest before all; the others keep their places. */
static void
order_again(void)
{
  struct awake_mote **woken = allocate(list.count, sizeof(*woken));
  uint32_t count = 0, kept = list.count;

  for(uint32_t i = 0; i < list.count; i++) {
    count += list.motes[i]->woken >= 0;
  }
  for(uint32_t i = list.count, taken = count; i > 0; i--) {
    struct awake_mote *awake = list.motes[i - 1];
    if(awake->woken >= 0) {
      woken[--taken] = awake;
    } else {
      list.motes[--kept] = awake;
    }
  }
  qsort(woken, count, sizeof(*woken), compare_places);
  memcpy(list.motes, woken, count * sizeof(*woken));
  free(woken);
}

static void
do_kept(struct simulation *simulation)
{
  int64_t now = simulation->queue.now;

  if(list.deed_count > 0) {
    qsort(list.deeds, list.deed_count, sizeof(*list.deeds), compare_deeds);
  }
  for(uint32_t i = 0; i < list.deed_count && !simulation->log.closed; i++) {
    struct deed *deed = &list.deeds[i];
    simulation->queue.now = deed->time;
    if(deed->what == AWAKE_SLEEP) {
      queue_wake(&simulation->queue, &deed->awake->mote->wakeup, deed->wake);
    } else {
      list.function(deed->awake->mote, deed->what, deed->first, deed->second, list.texts + deed->text, deed->length);
    }
  }
  if(!simulation->log.closed) {
    simulation->queue.now = now;
  }
  list.deed_count = 0;
  list.text_count = 0;
}

static void
run_many(struct simulation *simulation, int64_t now, int64_t end)
{
  uint32_t kept = 0;
  bool woken = false;

  for(uint32_t i = 0; i < list.count; i++) {
    list.place = i;
    run_ahead(list.motes[i], list.motes[i]->mote->wakeup.time, end);
  }
  for(uint32_t i = 0; i < list.count; i++) {
    struct awake_mote *awake = list.motes[i];
    awake->listed = awake->mote->wakeup.queued;
    if(awake->listed) {
      list.motes[kept++] = awake;
      woken |= awake->woken >= 0;
    }
  }
  list.count = kept;
  list.done_us = end - 1;
  simulation->queue.now = now;
  do_kept(simulation);
  if(woken) {
    order_again();
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
    if(is_queued(list.motes[i]->mote)) {
      return now + 1;
    }
  }
  bound = queue_bound(&simulation->queue);
  return bound < end ? bound : end;
}

static void
take_turn(struct simulation *simulation, struct time_event *event)
{
  int64_t now = simulation->queue.now;

  (void)event;
  while(list.count > 0) {
    int64_t end = end_of_run(simulation, now);
    if(end > now + 1) {
      run_many(simulation, now, end);
      now = end;
    } else {
      run_once(simulation, now);
      now++;
    }
    queue_next_event(&simulation->queue);
    if(list.count == 0) {
      break;
    }
    if(simulation->log.closed || simulation->requests != NULL || now > simulation->script->due_us || watch_wanted ||
       queue_bound(&simulation->queue) <= now) {
      queue_turn(simulation, now);
      break;
    }
    simulation->queue.now = now;
  }
}
