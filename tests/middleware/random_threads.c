/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that do what standard input says, a line each: "PRIORITY OP OP ...",
 * an operation being a letter and up to two numbers (u3000, l0, D2:5000). Prints
 * who runs when, and how each operation ended; test_random_threads.py knows what
 * that should be. The clock moves from alarm to alarm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock_requests.h"
#include "cpu-use.h"
#include "thread-lock.h"
#ifdef WITH_BLACKBOARD
#include "random_board.h"
#else
#define board_start()
#define board_do(what, thread, first, second) (abort(), 0)
#endif

#define END 2000000UL /* us */
#define OPERATIONS 40

struct operation {
  char what;
  unsigned long first, second;
};

static struct operation operations[THREADS_MAX][OPERATIONS];
static struct thread_mutex mutexes[3] = { THREAD_MUTEX, THREAD_MUTEX, THREAD_MUTEX };
static struct thread_semaphore semaphores[3] = { THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(1), THREAD_SEMAPHORE(2) };
static uint32_t now, alarm;

uint32_t
thread_clock_now(void)
{
  return now;
}

void
thread_clock_alarm(uint32_t time)
{
  alarm = time;
}

void
thread_clock_overflowed(const struct thread *thread)
{
  printf("%lu %s overflow\n", (unsigned long)now, thread->name);
}

static void perform(unsigned thread);

static int
post(struct thread_semaphore *semaphore, unsigned long times)
{
  while(times-- > 0) {
    thread_semaphore_post(semaphore);
  }
  return THREAD_OK;
}

/* Takes all that it has; returns how often. */
static int
take_all(struct thread_semaphore *semaphore)
{
  int times = 0;

  while(thread_semaphore_wait_for(semaphore, 0) == THREAD_OK) {
    times++;
  }
  return times;
}

#define DECLARE(n) \
  THREAD(t##n, THREAD_PRIORITY_NORMAL, 16384); \
  THREAD_BODY(t##n) { perform(n); }
DECLARE(0) DECLARE(1) DECLARE(2) DECLARE(3) DECLARE(4) DECLARE(5)
static struct thread *const threads[] = { &t0, &t1, &t2, &t3, &t4, &t5 };

static int
do_one(unsigned thread, const struct operation *o)
{
  switch(o->what) {
  case 'u': return cpu_use(o->first);
  case 's': return thread_sleep(o->first);
  case 'g': return thread_give_up();
  case 'd': return thread_dispatch();
  case 'l': return thread_mutex_lock(&mutexes[o->first]);
  case 'r': return thread_mutex_unlock(&mutexes[o->first]);
  case 'w': return thread_semaphore_wait(&semaphores[o->first]);
  case 'W': return thread_semaphore_wait_for(&semaphores[o->first], o->second);
  case 'p': return post(&semaphores[o->first], o->second > 0 ? o->second : 1);
  case 'o': return take_all(&semaphores[o->first]);
  case 'i': thread_semaphore_signal(&semaphores[o->first]); return THREAD_OK;
  case 'D': return thread_set_deadline(threads[o->first], now + o->second - 5000);
  case 'F': return thread_set_deadline_first(threads[o->first]);
  case 'b': return thread_wait_deadline();
  case 'v': return thread_deadline_served();
  case 'x': return thread_stop(threads[o->first]);
  default: return board_do(o->what, thread, o->first, o->second);
  }
}

static void
perform(unsigned thread)
{
  for(const struct operation *o = operations[thread]; o->what != '\0'; o++) {
    int result = do_one(thread, o);

    printf("%lu t%u %c %d\n", (unsigned long)now, thread, o->what, result);
  }
}

static void
print_switch(const struct thread *thread, enum thread_why why)
{
  static const char *const whys[] = { "start", "slice", "sleep", "wait", "give_up", "dispatch", "block", "end", "ready" };

  printf("%lu %s runs %s\n", (unsigned long)now, thread->name, whys[why]);
}

static void
read_thread(unsigned thread, char *line)
{
  char *word = strtok(line, " \n");
  unsigned n = 0;

  threads[thread]->priority = (uint8_t)atoi(word);
  while((word = strtok(NULL, " \n")) != NULL && n < OPERATIONS - 1) {
    struct operation *o = &operations[thread][n++];

    o->what = word[0];
    sscanf(word + 1, "%lu:%lu", &o->first, &o->second);
  }
}

int
main(void)
{
  static char line[1000];
  unsigned count = 0;

  thread_observer = print_switch;
  board_start();
  while(count < 6 && fgets(line, sizeof(line), stdin) != NULL) {
    read_thread(count++, line);
  }
  for(unsigned i = 0; i < count; i++) {
    thread_start(threads[i]);
  }
  while(requested || alarm < END) {
    if(!requested) {
      now = alarm;
    }
    requested = false;
    threads_run();
  }
  for(unsigned i = 0; i < count; i++) {
    printf("cpu %s %lu %lu\n", threads[i]->name, (unsigned long)threads[i]->cpu_time, (unsigned long)threads[i]->switches);
  }
  return 0;
}
