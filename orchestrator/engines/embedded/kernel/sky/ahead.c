/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/ahead.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { ALONE_US = 1000 };

enum { AWAKE_FROM_THE_START = -1 };

/* Who wakes comes before all that are awake. Of those that wake at one time, who went to sleep earlier comes first; of those that
   went to sleep at one time, too, who then was before the other. */
struct rank {
  int64_t woken, slept;
  uint32_t before; /* its rank until it slept; of one that is awake from the start, its place */
};

static struct {
  awake_do *function;
  struct awake_mote *mote; /* that runs, or NULL */
  struct rank *ranks;
  uint32_t rank_count, rank_size;
  struct deeds *kept;
  jmp_buf faulted;
} ahead;

void
ahead_init(awake_do *function)
{
  ahead.function = function;
}

const struct awake_mote *
ahead_mote(void)
{
  return ahead.mote;
}

static uint32_t
new_rank(int64_t woken, int64_t slept, uint32_t before)
{
  ahead.ranks = with_room(ahead.ranks, ahead.rank_count, &ahead.rank_size, 64, sizeof(*ahead.ranks));
  ahead.ranks[ahead.rank_count] = (struct rank){woken, slept, before};
  return ahead.rank_count++;
}

void
ahead_begin(void)
{
  ahead.rank_count = 0;
}

void
ahead_place(struct awake_mote *awake, uint32_t place)
{
  awake->rank = new_rank(AWAKE_FROM_THE_START, AWAKE_FROM_THE_START, place);
}

bool
ahead_woke(const struct awake_mote *awake)
{
  return ahead.ranks[awake->rank].woken != AWAKE_FROM_THE_START;
}

int
ahead_compare(uint32_t first, uint32_t second)
{
  while(true) {
    const struct rank *a = &ahead.ranks[first], *b = &ahead.ranks[second];
    if(a->woken != b->woken) {
      return a->woken > b->woken ? -1 : 1;
    }
    if(a->slept != b->slept) {
      return a->slept < b->slept ? -1 : 1;
    }
    if(a->woken == AWAKE_FROM_THE_START) {
      return a->before < b->before ? -1 : a->before > b->before;
    }
    first = a->before;
    second = b->before;
  }
}

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
  return ahead_compare(a->rank, b->rank);
}

void
ahead_sort(struct deeds *deeds)
{
  if(deeds->count > 1) {
    qsort(deeds->each, deeds->count, sizeof(*deeds->each), compare_deeds);
  }
}

static struct deed *
new_deed(enum deed_kind what)
{
  struct deeds *deeds = ahead.kept;
  struct deed *deed;

  deeds->each = with_room(deeds->each, deeds->count, &deeds->size, 4, sizeof(*deeds->each));
  deed = &deeds->each[deeds->count];
  *deed = (struct deed){.time = -1, .rank = ahead.mote->rank, .number = deeds->count++, .awake = ahead.mote,
                        .what = what};
  return deed;
}

static void
keep_text(struct deed *deed, const char *text, size_t length)
{
  deed->text = allocate(length + 1, 1);
  memcpy(deed->text, text, length);
  deed->length = length;
}

bool
ahead_keep(enum deed_kind what, int first, int second, const char *text, size_t length)
{
  struct deed *deed;

  if(ahead.mote == NULL) {
    return false;
  }
  deed = new_deed(what);
  deed->first = first;
  deed->second = second;
  if(length > 0) {
    keep_text(deed, text, length);
  }
  msp430_pause(ahead.mote->mcu);
  return true;
}

void
ahead_keep_fault(enum deed_kind what, const char *text, size_t length)
{
  if(ahead.mote != NULL) {
    keep_text(new_deed(what), text, length);
    longjmp(ahead.faulted, 1);
  }
}

/* The deeds that have been kept since the first one of these happened in the slice at this time. */
static void
date(uint32_t first, int64_t time)
{
  for(uint32_t i = first; i < ahead.kept->count; i++) {
    ahead.kept->each[i].time = time;
  }
}

void
ahead_do(struct simulation *simulation, struct deeds *deeds)
{
  for(uint32_t i = 0; i < deeds->count; i++) {
    struct deed *deed = &deeds->each[i];
    if(!simulation->log.closed) {
      simulation->queue.now = deed->time;
      if(deed->what == DEED_SLEEP) {
        queue_wake(&simulation->queue, &deed->awake->mote->wakeup, deed->wake);
      } else {
        ahead.function(deed->awake->mote, deed->what, deed->first, deed->second, deed->text, deed->length);
      }
    }
    free(deed->text);
  }
  deeds->count = 0;
}

void
ahead_run_alone(struct awake_mote *awake, int64_t now)
{
  static int64_t ran, wait;

  ahead.mote = awake;
  ahead.kept = &awake->own;
  if(setjmp(ahead.faulted) == 0) {
    msp430_pause_at_spi(awake->mcu, true);
    wait = msp430_run(awake->mcu, now - awake->last_us, ALONE_US, &ran);
    if(wait > 0) {
      new_deed(DEED_SLEEP)->wake = now + ran + wait;
    }
  } else {
    ran = msp430_run_so_far(awake->mcu);
  }
  msp430_pause_at_spi(awake->mcu, false);
  awake->last_us = now + ran - 1;
  date(0, awake->last_us);
  ahead.mote = NULL;
}

void
ahead_run(struct awake_mote *awake, int64_t from, int64_t end, struct deeds *deeds)
{
  static int64_t now, jump;
  static uint32_t first; /* these have to be known after a fault */

  now = from;
  jump = from - awake->last_us;
  ahead.mote = awake;
  ahead.kept = deeds;
  if(setjmp(ahead.faulted) != 0) {
    date(first, now + msp430_run_so_far(awake->mcu) - 1);
    now = end;
  }
  while(now < end) {
    int64_t ran, wait;
    first = ahead.kept->count;
    wait = msp430_run(awake->mcu, jump, end - now, &ran);
    awake->last_us = now + ran - 1;
    date(first, awake->last_us);
    now += ran;
    jump = 1;
    if(wait > 0) {
      int64_t wake = now + wait;
      if(wake >= end) {
        struct deed *deed = new_deed(DEED_SLEEP);
        deed->time = awake->last_us;
        deed->wake = wake;
        awake->mote->wakeup.queued = false;
        break;
      }
      awake->rank = new_rank(wake, awake->last_us, awake->rank);
      jump = wake - awake->last_us;
      now = wake;
    }
  }
  ahead.mote = NULL;
}
