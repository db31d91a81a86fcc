/* SPDX-License-Identifier: Apache-2.0 */
/* Preemptive threads: each mote plays another story; the log's times are the test. */
#include "threads-story.h"

/* --- 1: slices of the free-running timer ---------------------------------- */

static void
computes_50_ms(void)
{
  cpu_use(50 * MS);
  say("done", thread_now());
}

static void
slices(void)
{
  start(0, THREAD_PRIORITY_NORMAL, computes_50_ms);
  start(1, THREAD_PRIORITY_NORMAL, computes_50_ms);
  start(2, THREAD_PRIORITY_LOW, computes_50_ms);
}

/* --- 2: five priorities; what becomes ready waits for the slice's end ------ */

static void
computes_3_ms(void)
{
  cpu_use(3 * MS);
}

static void
starts_all_then_computes(void)
{
  for(unsigned i = 0; i < 4; i++) {
    start(i, (enum thread_priority)i, computes_3_ms);
  }
  cpu_use(30 * MS);
}

static void
priorities(void)
{
  start(4, THREAD_PRIORITY_KERNEL, starts_all_then_computes);
}

/* --- 3: deadlines before priorities, only tightened until served ----------- */

static void
waits_for_deadlines(void)
{
  while(1) {
    thread_wait_deadline();
    say("deadline", thread_self()->deadline);
    cpu_use(2 * MS);
    thread_deadline_served();
  }
}

static void
sets_deadlines(void)
{
  uint32_t now = thread_now();

  say("set", thread_set_deadline(&a, now + 30 * MS));
  say("later", thread_set_deadline(&a, now + 40 * MS));
  say("before", thread_set_deadline(&b, now + 20 * MS));
  say("tighter", thread_set_deadline(&a, now + 10 * MS));
  say("first", thread_set_deadline_first(&c));
  say("never first", thread_set_deadline(&c, now));
  thread_give_up();
  say("again", thread_set_deadline(&a, thread_now() + 60 * MS));
  cpu_use(1 * MS);
}

static void
sleeps_then_computes(void)
{
  thread_sleep(1 * MS);
  cpu_use(3 * MS);
}

static void
deadlines(void)
{
  start(0, THREAD_PRIORITY_IDLE, waits_for_deadlines);
  start(1, THREAD_PRIORITY_IDLE, waits_for_deadlines);
  start(2, THREAD_PRIORITY_IDLE, waits_for_deadlines);
  start(4, THREAD_PRIORITY_KERNEL, sleeps_then_computes);
  start(3, THREAD_PRIORITY_IDLE, sets_deadlines);
}

/* --- 4, 5: inheritance in a mutex and in a semaphore ----------------------- */

static bool with_mutex;

static void
enter(void)
{
  say("enters", with_mutex ? thread_mutex_lock(&mutex) : thread_semaphore_wait(&resource));
}

static void
leave(void)
{
  if(with_mutex) {
    thread_mutex_unlock(&mutex);
  } else {
    thread_semaphore_post(&resource);
  }
}

static void
has_it_long(void)
{
  enter();
  start(1, THREAD_PRIORITY_HIGH, computes_50_ms);
  start(2, THREAD_PRIORITY_LOW, does[2]);
  thread_set_deadline(&c, thread_now() + 90 * MS);
  cpu_use(30 * MS);
  leave();
  say("left", thread_now());
  cpu_use(30 * MS);
}

static void
wants_it(void)
{
  enter();
  cpu_use(5 * MS);
  leave();
  say("left", thread_now());
}

static void
inheritance(void)
{
  with_mutex = simMoteID == 4;
  does[2] = wants_it;
  start(0, THREAD_PRIORITY_LOW, has_it_long);
}

/* --- 6: sleep, waits that end, and who has the CPU meanwhile ---------------- */

static void
sleeps(void)
{
  for(unsigned i = 0; i < 3; i++) {
    thread_sleep(10 * MS);
    cpu_use(1500);
    say("awake", thread_now());
  }
  say("signal", thread_semaphore_wait(&signal));
  say("no signal", thread_semaphore_wait_for(&signal, 7 * MS));
  say("late signal", thread_semaphore_wait_for(&signal, 7 * MS));
  thread_semaphore_signal(&signal);
  thread_semaphore_signal(&signal);
  say("kept", thread_semaphore_wait_for(&signal, 0));
  say("one only", thread_semaphore_wait_for(&signal, 0));
}

static void
signals(void)
{
  thread_sleep(50 * MS);
  thread_semaphore_signal(&signal);
  thread_sleep(12 * MS);
  thread_semaphore_post(&signal);
}

static void
sleep_and_wait(void)
{
  start(0, THREAD_PRIORITY_NORMAL, sleeps);
  start(1, THREAD_PRIORITY_NORMAL, signals);
}

/* --- 7: what has its defined end -------------------------------------------- */

static void
locks_both(void)
{
  say("first", thread_mutex_lock(&mutex));
  say("itself", thread_mutex_lock(&mutex));
  cpu_use(25 * MS);
  say("second", thread_mutex_lock(&other_mutex));
  thread_mutex_unlock(&mutex);
}

static void
locks_both_crosswise(void)
{
  say("first", thread_mutex_lock(&other_mutex));
  cpu_use(25 * MS);
  say("circle", thread_mutex_lock(&mutex));
  say("not mine", thread_mutex_unlock(&mutex));
  thread_mutex_unlock(&other_mutex);
  thread_mutex_lock(&mutex);
}

static void
waits_for_stopped(void)
{
  say("owner stopped", thread_mutex_lock(&mutex));
  say("farthest", thread_set_deadline(&c, thread_now() + THREAD_FARTHEST - 1));
  say("far", thread_set_deadline(&c, thread_now() + THREAD_FARTHEST));
  say("past", thread_set_deadline(&c, thread_now() - 1));
  say("farthest past", thread_set_deadline(&c, thread_now() - THREAD_FARTHEST + 1));
  say("far past", thread_set_deadline(&c, thread_now() - THREAD_FARTHEST));
  say("far sleep", thread_sleep(THREAD_FARTHEST));
  say("far wait", thread_semaphore_wait_for(&signal, THREAD_FARTHEST));
  say("to a stopped one", thread_set_deadline(&a, thread_now()));
  say("runs already", thread_start(&c));
}

static void
bad_calls(void)
{
  start(0, THREAD_PRIORITY_NORMAL, locks_both);
  start(1, THREAD_PRIORITY_NORMAL, locks_both_crosswise);
  start(2, THREAD_PRIORITY_LOW, waits_for_stopped);
  say("no thread: use", cpu_use(1));
  say("no thread: sleep", thread_sleep(1));
  say("no thread: lock", thread_mutex_lock(&mutex));
  say("no thread: wait", thread_semaphore_wait(&signal));
  say("no thread: signal", thread_semaphore_wait_for(&signal, 0));
  say("no thread: far", thread_semaphore_wait_for(&signal, THREAD_FARTHEST - 1));
  say("no thread: give up", thread_give_up());
  say("no thread: dispatch", thread_dispatch());
  say("no thread: deadline", thread_wait_deadline());
  say("no thread: served", thread_deadline_served());
  say("no thread: unlock", thread_mutex_unlock(&mutex));
  say("not started: stop", thread_stop(&d));
  say("not started: first", thread_set_deadline_first(&d));
}

/* --- 8, 15: a stack that is too small, by a byte and down to the guard's last quarter --- */

#ifndef OVERFLOW_AT
#define OVERFLOW_AT (THREAD_STACK_GUARD - 1)
#endif

static void
overflows(void)
{
  volatile uint8_t *const lowest = thread_self()->stack;

  cpu_use(1 * MS);
  lowest[simMoteID == 8 ? OVERFLOW_AT : THREAD_STACK_GUARD / 4] = 0; /* as a frame too many would */
  cpu_use(1 * MS);
  say("FAIL: goes on", 0);
}

static void
overflow(void)
{
  start(0, THREAD_PRIORITY_NORMAL, overflows);
  start(1, THREAD_PRIORITY_LOW, computes_3_ms);
}

/* --- 9: threads that never let time pass ------------------------------------- */

static void
gives_up_for_ever(void)
{
  while(1) {
    thread_give_up();
  }
}

static void
spinning(void)
{
  start(0, THREAD_PRIORITY_NORMAL, gives_up_for_ever);
  start(1, THREAD_PRIORITY_NORMAL, gives_up_for_ever);
  start(2, THREAD_PRIORITY_LOW, computes_3_ms);
}

/* --- 10: the radio, from a thread and while one computes --------------------- */

static void
transmit(void)
{
  static char frame[100];

  say("sends", thread_now());
  NETSTACK_RADIO.send(frame, sizeof(frame));
  say("sent", thread_now());
}

static void
sends(void)
{
  cpu_use(1 * MS);
  transmit();
  cpu_use(1 * MS);
  thread_sleep(30 * MS);
}

static void
radio(void)
{
  start(0, THREAD_PRIORITY_NORMAL, sends);
  start(1, THREAD_PRIORITY_NORMAL, computes_50_ms);
}

/* --- 11: another's rtimer ------------------------------------------------------ */

static void
rings(struct rtimer *t, void *data)
{
}

static void
takes_timer(void)
{
  rtimer_set(&taken, RTIMER_NOW() + 5 * MS, 0, rings, NULL);
  start(0, THREAD_PRIORITY_NORMAL, computes_3_ms);
}

/* --- 12: more threads than the table has room for ------------------------------- */

static void
starts_two_more(void)
{
  cpu_use(1 * MS);
  say("while b to h run", thread_start(&i));
  say("b stopped", thread_stop(&b));
  start(8, THREAD_PRIORITY_NORMAL, computes_3_ms);
  say("with i", thread_start(&b));
}

static void
full_table(void)
{
  start(0, THREAD_PRIORITY_HIGH, starts_two_more);
  for(unsigned which = 1; which < THREADS_MAX; which++) {
    start(which, THREAD_PRIORITY_NORMAL, computes_3_ms);
  }
}

/* --- 13: as often as a thread may go on in one moment, and once more --------------- */

static void
gives_up(unsigned times)
{
  while(times-- > 0) {
    thread_give_up();
  }
}

static void
goes_on_in_three_moments(void)
{
  gives_up(THREADS_MOST_AT_ONCE - 1); /* it goes on once to begin with */
  transmit();
  gives_up(THREADS_MOST_AT_ONCE); /* time has passed while it was sending */
  cpu_use(1 * MS);
  say("so far", thread_errors.spinning);
  gives_up(THREADS_MOST_AT_ONCE);
  say("at last", thread_errors.spinning);
}

static void
many_times_at_once(void)
{
  start(0, THREAD_PRIORITY_NORMAL, goes_on_in_three_moments);
}

/* --- 14: what is counted between two times, which the process says ------------------ */

static void
computes_twice(void)
{
  cpu_use(50 * MS);
  thread_sleep(30 * MS);
  cpu_use(40 * MS);
}

static void
counting(void)
{
  start(0, THREAD_PRIORITY_NORMAL, computes_twice);
}

/* ------------------------------------------------------------------------------ */

static void (*const stories[])(void) = {
  slices, priorities, deadlines, inheritance, inheritance, sleep_and_wait, bad_calls, overflow, spinning, radio, takes_timer,
  full_table, many_times_at_once, counting, overflow
};

PROCESS_THREAD(story_process, ev, data)
{
  PROCESS_BEGIN();
  if(simMoteID != 9) {
    thread_log_trace();
  }
  if((unsigned)simMoteID <= sizeof(stories) / sizeof(stories[0])) {
    stories[simMoteID - 1]();
  }
  etimer_set(&timer, 37);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  if(simMoteID == 9) {
    say("stopped", thread_stop(&a));
    say("stopped", thread_stop(&b));
    say("again", thread_stop(&b));
  }
  if(simMoteID == 10) {
    transmit();
  }
  if(simMoteID == 14) {
    threads_begin_counting();
    etimer_set(&timer, 63);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    threads_end_counting();
    etimer_set(&timer, 100);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    thread_log_dump();
    thread_log_dump();
    threads_begin_counting();
    thread_log_dump();
    etimer_set(&timer, 7);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    thread_log_dump();
    PROCESS_EXIT();
  }
  etimer_set(&timer, 163);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  threads_flush();
  energest_flush();
  say("cpu", energest_type_time(ENERGEST_TYPE_CPU));
  say("lpm", energest_type_time(ENERGEST_TYPE_LPM));
  thread_log_dump();
  PROCESS_END();
}
