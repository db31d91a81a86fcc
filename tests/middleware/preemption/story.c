/* SPDX-License-Identifier: Apache-2.0 */
/* Threads on a microcontroller without Contiki: two compute without ever calling anything, so that only the timer's
   interrupt can switch them; then waits, deadlines, and a stack that is too small. What the log says is the test.
   With THROUGH the stack is so much too small that the mote has to stop. */
#include <string.h>
#include "../clock_requests.h"
#include "board.h"
#include "cpu-use.h"
#include "thread-lock.h"

#define MS 1000UL

static struct thread_mutex mutex = THREAD_MUTEX;
static struct thread_semaphore slept = THREAD_SEMAPHORE(0);
static volatile uint32_t ms, alarm;
static volatile bool alarm_waits;
static uint16_t changed; /* results of the same computation that differ */

/* ---- the clock ---- */

uint32_t
thread_clock_now(void)
{
  thread_lock_state_t state = thread_interrupts_lock();
  uint32_t now = ms * MS;

  thread_interrupts_unlock(state);
  return now;
}

void
thread_clock_alarm(uint32_t time)
{
  alarm = time;
  alarm_waits = true;
}

void
board_tick(void)
{
  ms++;
  if(alarm_waits && (int32_t)(ms * MS - alarm) >= 0) {
    alarm_waits = false;
    requested = true;
    threads_interrupt();
  }
}

/* ---- the log ---- */

static void
put(const char *text)
{
  while(*text != '\0') {
    board_put(*text++);
  }
}

static void
put_number(uint32_t number)
{
  char digits[11], *first = digits + sizeof(digits) - 1;

  *first = '\0';
  do {
    *--first = (char)('0' + number % 10);
    number /= 10;
  } while(number > 0);
  put(first);
}

static void
say(const char *what, uint32_t number)
{
  thread_lock_state_t state = thread_interrupts_lock();

  put_number(ms);
  put(" ");
  put(what);
  put(" ");
  put_number(number);
  put("\n");
  thread_interrupts_unlock(state);
}

void
thread_clock_overflowed(const struct thread *thread)
{
  say(thread->name, 9999);
}

/* ---- the threads ---- */

/* The computation keeps many registers in use wherever it is interrupted. */
static uint32_t
mix(uint32_t begin)
{
  uint32_t a = begin, b = 2, c = 3, d = 4, sum = 0;

  for(uint8_t i = 0; i < 200; i++) {
    a = a * 3 + b;
    b = b * 5 + c;
    c = c * 7 + d;
    d = d * 11 + a;
    sum += a ^ b ^ c ^ d;
  }
  return sum;
}

static uint16_t
mixes_for(uint32_t us, uint32_t begin)
{
  uint32_t end = thread_now() + us, expected = mix(begin);
  uint16_t done = 0;

  while((int32_t)(thread_now() - end) < 0) {
    changed += mix(begin) != expected;
    done += done < 1000;
  }
  return done;
}

THREAD(first, THREAD_PRIORITY_NORMAL, 400);
THREAD(second, THREAD_PRIORITY_NORMAL, 400);
THREAD(signalled, THREAD_PRIORITY_HIGH, 400);
THREAD(small, THREAD_PRIORITY_LOW, 150);

THREAD_BODY(first)
{
  uint8_t page = board_page();

  say("first begins", page);
  board_turn_page();
  page = board_page();
  say("first has mixed", mixes_for(100 * MS, 1) > 1);
  say("first's page", board_page() == page);
  say("first locks", thread_mutex_lock(&mutex));
  cpu_use(30 * MS);
  thread_mutex_unlock(&mutex);
  thread_sleep(50 * MS);
  say("first slept", thread_semaphore_wait_for(&slept, 0));
  thread_semaphore_signal(&slept);
  thread_sleep(10 * MS);
  thread_set_deadline(&signalled, thread_now() + 5 * MS);
  thread_sleep(10 * MS);
  say("first starts small", thread_start(&small));
}

THREAD_BODY(second)
{
  say("second begins", board_page());
  say("second has mixed", mixes_for(100 * MS, 7) > 1);
  say("second's page", board_page());
  say("second locks", thread_mutex_lock(&mutex));
  cpu_use(30 * MS);
  thread_mutex_unlock(&mutex);
}

THREAD_BODY(signalled)
{
  say("signalled", thread_semaphore_wait(&slept));
  say("deadline", thread_wait_deadline());
}

/* Into the guard, or through it. */
#ifdef THROUGH
#define OVERFLOWS_TO 0
#else
#define OVERFLOWS_TO (THREAD_STACK_GUARD - 4)
#endif

THREAD_BODY(small)
{
  volatile uint8_t *guard = thread_self()->stack + OVERFLOWS_TO;

  *guard = 0;
  thread_sleep(1 * MS);
  say("small goes on", 1);
}

int
main(void)
{
  board_start();
  thread_start(&first);
  thread_start(&second);
  thread_start(&signalled);
  say("prepared", thread_stack_used(&signalled));
  while(thread_clock_now() < 400 * MS) {
    if(requested) {
      requested = false;
      threads_run();
    } else {
      board_wait();
    }
  }
  threads_flush();
  say("changed", changed);
  say("overflows", thread_errors.stack_overflow);
  say("deep", thread_stack_used(&first) > 40 && thread_stack_used(&first) < thread_stack_size(&first));
  say("first's cpu", first.cpu_time);
  say("second's cpu", second.cpu_time);
  say("idle's", thread_idle.cpu_time);
  say("all", first.cpu_time + second.cpu_time + signalled.cpu_time + small.cpu_time + thread_idle.cpu_time);
  board_end();
  return 0;
}
