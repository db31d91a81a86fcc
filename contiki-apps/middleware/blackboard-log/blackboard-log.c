/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include "blackboard-log.h"
#include "blackboard-observer.h"
#include "blackboard-thread.h"

#define BILLION 1000000000UL

/* The record of one subscription. */
struct record {
  const struct thread *thread; /* NULL: none yet */
  uint8_t event;
  uint8_t number;
  volatile bool waits; /* notified, not taken */
  uint32_t published; /* when the earliest value was that waits */
  uint32_t deadline;
  uint32_t notified;
  uint32_t missed;
  uint64_t total;     /* us of delay */
  uint32_t most;
};

static struct record records[BLACKBOARD_LOGGED];
static uint32_t unlogged; /* notifications without room for a record */
static bool traced;
/*---------------------------------------------------------------------------*/
/* Returns the subscription's record, or a new one. If a number was given again
   with another thread or deadline, it is another subscription. */
static struct record *
record_of(const struct blackboard_notice *notice)
{
  const struct thread *thread = blackboard_thread_of(notice->thread);
  unsigned i;

  for(i = 0; i < BLACKBOARD_LOGGED; i++) {
    struct record *record = &records[i];

    if(record->thread == NULL) {
      record->event = notice->event;
      record->number = notice->number;
      record->thread = thread;
      record->deadline = notice->deadline;
    }
    if(record->event == notice->event && record->number == notice->number
       && record->thread == thread && record->deadline == notice->deadline) {
      return record;
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static void
published(uint8_t event, uint32_t value)
{
  if(traced) {
    printf("!bpb,%u,%ld\n", (unsigned)event, (long)(int32_t)value);
  }
}
/*---------------------------------------------------------------------------*/
static void
notified(const struct blackboard_notice *notice)
{
  struct record *record = record_of(notice);

  if(record == NULL) {
    unlogged++;
  } else if(!record->waits) {
    record->published = notice->published;
    record->waits = true;
  }
}
/*---------------------------------------------------------------------------*/
/* If a notification waits, it has been taken now. Nothing may come between: an
   interrupted thread would take a later notification at the earlier time. */
static bool
take(struct record *record, uint8_t event, uint8_t number, uint32_t *delay)
{
  thread_lock_state_t state = thread_interrupts_lock();
  bool waits = record->waits && record->event == event && record->number == number;

  if(waits) {
    *delay = thread_now() - record->published;
    record->waits = false;
    record->notified++;
    record->missed += record->deadline > 0 && *delay > record->deadline;
    record->total += *delay;
    if(*delay > record->most) {
      record->most = *delay;
    }
  }
  thread_interrupts_unlock(state);
  return waits;
}
/*---------------------------------------------------------------------------*/
static void
taken(uint8_t event, uint8_t number)
{
  uint32_t delay;
  unsigned i;

  for(i = 0; i < BLACKBOARD_LOGGED; i++) {
    struct record *record = &records[i];

    if(take(record, event, number, &delay) && traced) {
      printf("!ntf,%u,%u,%s,%lu,%lu\n", (unsigned)event, (unsigned)number,
             record->thread->name, (unsigned long)delay,
             (unsigned long)record->deadline);
    }
  }
}
/*---------------------------------------------------------------------------*/
void
blackboard_log_start(bool trace)
{
  static const struct blackboard_observer observer = {
    .published = published, .notified = notified, .taken = taken
  };
  uint32_t words_used = blackboard_counters.words_used;

  memset(records, 0, sizeof(records));
  memset(&blackboard_counters, 0, sizeof(blackboard_counters));
  blackboard_counters.words_used = words_used; /* they still are */
  unlogged = 0;
  traced = trace;
  blackboard_observer = &observer;
}
/*---------------------------------------------------------------------------*/
static void
print_counter(const char *name, uint32_t value)
{
  printf("!cnt,blackboard_%s,%lu\n", name, (unsigned long)value);
}
/*---------------------------------------------------------------------------*/
/* A microcontroller's printf() doesn't know numbers of 64 bits. */
static void
print_total(uint64_t us)
{
  if(us < BILLION) {
    printf("%lu", (unsigned long)us);
  } else {
    printf("%lu%09lu", (unsigned long)(us / BILLION),
           (unsigned long)(us % BILLION));
  }
}
/*---------------------------------------------------------------------------*/
void
blackboard_log_dump(void)
{
  unsigned i;

  for(i = 0; i < BLACKBOARD_LOGGED && records[i].thread != NULL; i++) {
    const struct record *record = &records[i];

    printf("!nts,%u,%u,%s,%lu,%lu,%lu,", (unsigned)record->event,
           (unsigned)record->number, record->thread->name,
           (unsigned long)record->deadline, (unsigned long)record->notified,
           (unsigned long)record->missed);
    print_total(record->total);
    printf(",%lu\n", (unsigned long)record->most);
  }
  print_counter("words", blackboard_words);
#define PRINT_COUNT(name) print_counter(#name, blackboard_counters.name);
  BLACKBOARD_COUNTS(PRINT_COUNT)
#define PRINT_ERROR(name) \
  if(blackboard_counters.name > 0) { \
    print_counter(#name, blackboard_counters.name); \
  }
  BLACKBOARD_ERRORS(PRINT_ERROR)
  if(unlogged > 0) {
    print_counter("unlogged", unlogged);
  }
}
