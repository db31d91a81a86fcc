/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads after section 5 of Stelte (2010), "A Real-Time-Enabled,
 * Blackboard-Based, Publish/Subscribe Architecture for Wireless Sensor Nodes":
 * five priorities with round robin in slices, earliest deadline first above
 * them.
 *
 * Contiki's processes, the network among them, come before all threads, like
 * interrupts: threads have the time that processes leave. A switch happens at the
 * end of a slice of a free-running timer (its multiples of 20 ms since boot, no
 * matter when the thread began), or when the running thread gives up the CPU. A
 * thread that becomes ready waits for that; the idle thread makes room at once.
 *
 *   THREAD(sampler, THREAD_PRIORITY_NORMAL, 256);
 *
 *   THREAD_BODY(sampler)
 *   {
 *     while(1) {
 *       cpu_use(1500);
 *       thread_sleep(30000);
 *     }
 *   }
 *
 *   thread_start(&sampler);      from a process, a thread or an interrupt
 *
 * Times are us since the mote's boot and wrap; they are compared by their signed
 * difference, so that no wait and no deadline may be THREAD_FARTHEST away.
 *
 * On a Cooja mote a switch happens only in a call of this module: what threads
 * and processes share needs no more care than that. On a microcontroller the
 * timer's interrupt switches, and what they share needs a mutex or
 * thread_interrupts_lock().
 */
#ifndef THREAD_H_
#define THREAD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "threads-conf.h"
#include "thread-port.h"

/* The most urgent has the highest number. */
enum thread_priority {
  THREAD_PRIORITY_IDLE, /* when no other thread has anything to do */
  THREAD_PRIORITY_LOW,
  THREAD_PRIORITY_NORMAL,
  THREAD_PRIORITY_HIGH,
  THREAD_PRIORITY_KERNEL
};

/* Results; those marked * are also counted in thread_errors. */
enum thread_error {
  THREAD_OK,
  THREAD_NOT_IN_A_THREAD, /* only a thread can wait, own a mutex, use the CPU */
  THREAD_NO_ROOM,         /* * THREADS_MAX threads are there */
  THREAD_RUNNING,         /* it has been started, and has not stopped */
  THREAD_STOPPED,         /* the thread has stopped or was never started */
  THREAD_TIMED_OUT,
  THREAD_TOO_FAR,         /* a time THREAD_FARTHEST or more away */
  THREAD_DEADLINE_PAST,   /* * it is set, as the earliest there is */
  THREAD_DEADLOCK,        /* * waiting would close a circle: not waited */
  THREAD_OWNER_STOPPED,   /* * the mutex is the caller's, but the thread that had
                             it stopped in the middle of something */
  THREAD_NOT_OWNER        /* * only who has locked a mutex may unlock it */
};

#define THREAD_FARTHEST 0x40000000UL /* us; 17.9 minutes */

enum thread_state {
  THREAD_STATE_STOPPED,   /* 0: also one that was never started */
  THREAD_STATE_READY,     /* has the CPU or could have it */
  THREAD_STATE_SLEEPING,
  THREAD_STATE_BLOCKED,   /* waits for a mutex or a semaphore: its `lock` */
  THREAD_STATE_BLACKBOARD /* only a deadline wakes it */
};

/* The urgency of a deadline. Higher is more urgent. */
enum thread_urgency {
  THREAD_NO_DEADLINE,
  THREAD_DEADLINE_AT,   /* a time */
  THREAD_DEADLINE_FIRST /* before all times: the blackboard's own */
};

struct thread_lock;

/* The application declares it by THREAD(); its fields are to be read only. */
struct thread {
  const char *name;
  void (*body)(void);
  uint8_t *stack;            /* its lowest address, the guard's */
  uint16_t stack_size;       /* bytes, guard included */
  uint8_t priority;          /* enum thread_priority, or any other number */
  uint8_t state;             /* enum thread_state */
  uint8_t urgency;           /* enum thread_urgency */
  uint8_t result;            /* how its wait ended; enum thread_error */
  uint8_t lives;             /* how often it was started */
  bool timed;                /* it wakes at wake_time */
  uint32_t deadline;         /* us */
  uint32_t wake_time;        /* us */
  uint32_t use;              /* us that it still wants to compute */
  uint32_t turn;             /* those of one priority go in this order */
  uint32_t switches;         /* times that it was given the CPU */
  uint64_t cpu_time;         /* us that it had the CPU */
  struct thread_lock *lock;  /* the lock it waits for */
  void *context;             /* the port's: where its registers are */
};

/* bytes: its stack on a microcontroller. A Cooja mote's is larger by
   THREAD_STACK_EXTRA (thread-port.h), as the host's C library needs it. */
#define THREAD(id, level, bytes) \
  static void thread_body_##id(void); \
  static uint8_t thread_stack_##id[THREAD_STACK_SIZE(bytes)] \
    __attribute__((aligned(THREAD_STACK_ALIGNMENT))); \
  struct thread id = { \
    .name = #id, .body = thread_body_##id, .stack = thread_stack_##id, \
    .stack_size = sizeof(thread_stack_##id), .priority = (level) }
#define THREAD_BODY(id) static void thread_body_##id(void)
#define THREAD_NAME(id) extern struct thread id

/* ---- from anywhere: threads, processes, interrupts ---------------------- */

/* Errors: THREAD_NO_ROOM, THREAD_RUNNING. A stopped thread may be started again,
   from its beginning; its times and counts go on. */
enum thread_error thread_start(struct thread *thread);

/* Stops a thread. Its mutexes go to the threads that wait for them
   (THREAD_OWNER_STOPPED). Returns THREAD_STOPPED if it had stopped before. A
   thread also stops by returning. */
enum thread_error thread_stop(struct thread *thread);

/* Deadlines are only ever tightened until they are served: a later one than that
   which stands is not taken (THREAD_OK). One in the past counts as it is, the
   earliest of all; THREAD_DEADLINE_PAST. THREAD_TOO_FAR and THREAD_STOPPED: not
   set. A blocked or sleeping thread keeps it for when it is ready. */
enum thread_error thread_set_deadline(struct thread *thread, uint32_t deadline);

/* Puts it before all others: the paper's deadline "one". Error: THREAD_STOPPED. */
enum thread_error thread_set_deadline_first(struct thread *thread);

static inline bool
thread_is_stopped(const struct thread *thread)
{
  return thread->state == THREAD_STATE_STOPPED;
}

uint32_t thread_now(void); /* us since boot */

/* The calling thread; NULL in a process. */
struct thread *thread_self(void);

/* ---- from threads ------------------------------------------------------- */

/* Goes after the others of its priority. */
enum thread_error thread_give_up(void);

/* Lets more urgent threads go first; the caller keeps its place. */
enum thread_error thread_dispatch(void);

/* THREAD_TOO_FAR: it did not sleep. After 0 us the caller is ready again at once,
   after the others of its priority. */
enum thread_error thread_sleep(uint32_t microseconds);

/* The blackboard state: the caller waits until it has a deadline and that is the
   earliest. This is its own or, while it holds what another thread waits for, that
   thread's. If it has one of its own it does not wait, so that none is lost: serve
   that first. */
enum thread_error thread_wait_deadline(void);

/* Says that the work for the caller's deadline is done: it has no deadline any
   more. Do this first, then look for more work; the other way around, a deadline
   that is set meanwhile would be lost. Don't call it for a deadline that comes
   with a mutex, which ends by itself. */
enum thread_error thread_deadline_served(void);

/* ---- its history -------------------------------------------------------- */

/* Why a thread stopped running, in the log's words: start (there was none
   before), slice, sleep, wait (a semaphore, the blackboard state), give_up,
   dispatch (also: a more urgent one was ready, THREADS_PREEMPT), block (a mutex),
   end, ready (it was the idle thread). */
enum thread_why {
  THREAD_WHY_START,
  THREAD_WHY_SLICE,
  THREAD_WHY_SLEEP,
  THREAD_WHY_WAIT,
  THREAD_WHY_GIVE_UP,
  THREAD_WHY_DISPATCH,
  THREAD_WHY_BLOCK,
  THREAD_WHY_END,
  THREAD_WHY_READY
};

/* Called with the thread that now runs, which may be thread_idle, and why the one
   before stopped. NULL: nobody observes. */
extern void (*thread_observer)(const struct thread *thread, enum thread_why why);

/* The idle thread. Its cpu_time is how long no thread wanted the CPU. It has no
   stack. */
extern struct thread thread_idle;

extern struct thread *thread_table[THREADS_MAX]; /* NULL: free */
extern uint32_t thread_context_switches; /* to and from the idle thread too */

/* spinning: threads that switch for ever without using the CPU, in no simulated
   time; after THREADS_MOST_AT_ONCE the running one uses a ms. timer_taken: another
   rtimer waited (Contiki has one at a time), so that a switch was up to a tick of
   Contiki's clock late. */
#define THREADS_MOST_AT_ONCE 1000
#define THREAD_ERRORS(X) \
  X(no_room) \
  X(deadline_past) \
  X(deadlock) \
  X(owner_stopped) \
  X(not_owner) \
  X(stack_overflow) \
  X(spinning) \
  X(timer_taken)

struct thread_errors {
#define THREAD_ERROR_FIELD(name) uint16_t name;
  THREAD_ERRORS(THREAD_ERROR_FIELD)
#undef THREAD_ERROR_FIELD
};
extern struct thread_errors thread_errors;

/* Adds the CPU time that the running thread has used up to now to cpu_time and to
   Contiki's Energest. Call it before reading them. */
void threads_flush(void);

/* The largest depth of its stack, bytes: 0 on a Cooja mote, where frames are the
   host's and differ between simulators. The second one returns the stack's size,
   as THREAD() has it. */
uint16_t thread_stack_used(const struct thread *thread);
uint16_t thread_stack_size(const struct thread *thread);

#endif
