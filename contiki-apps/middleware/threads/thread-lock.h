/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes and semaphores. The thread that has one runs with the deadline, and
 * with the priority, of the most urgent thread that waits for it, through any
 * number of them (section 6 of Stelte 2010: priority inheritance). When it
 * releases the lock, its own deadline and priority count again, and the most
 * urgent waiting thread is next.
 */
#ifndef THREAD_LOCK_H_
#define THREAD_LOCK_H_

#include "thread.h"

enum thread_lock_kind {
  THREAD_LOCK_HOLDER,    /* who has something that is kept elsewhere */
  THREAD_LOCK_MUTEX,
  THREAD_LOCK_RESOURCES, /* a semaphore of things to take and give back */
  THREAD_LOCK_SIGNAL     /* a semaphore that begins at 0: nobody has it */
};

struct thread_lock {
  uint8_t kind;          /* enum thread_lock_kind */
  uint8_t count;         /* how many may still pass */
  uint8_t life;          /* the owner's, as it passed: it may have begun again;
                            of a signal: 1 if what waits has a deadline */
  union {
    struct thread *owner; /* who passed last and has not released it; NULL:
                             nobody */
    uint32_t deadline;    /* us; of a signal, which has no owner */
  };
};

/* The thread that has it and has not stopped since; NULL: none. */
struct thread *thread_lock_owner(const struct thread_lock *lock);

/* The calling thread waits for it, with interrupts locked. Returns how the wait
   ended, or THREAD_NOT_IN_A_THREAD. */
enum thread_error thread_lock_wait(struct thread_lock *lock, enum thread_why why);

struct thread_mutex {
  struct thread_lock lock;
};

struct thread_semaphore {
  struct thread_lock lock;
};

/* Initial values. A semaphore of n resources lends the deadline to the thread
   that took one last; one that begins at 0 is a signal and lends none. */
#define THREAD_MUTEX { { THREAD_LOCK_MUTEX, 1, 0, { NULL } } }
#define THREAD_SEMAPHORE(n) \
  { { (n) > 0 ? THREAD_LOCK_RESOURCES : THREAD_LOCK_SIGNAL, (n), 0, { NULL } } }

/* THREAD_NOT_IN_A_THREAD; THREAD_DEADLOCK: the caller has it, or waiting for it
   would close a circle of threads that wait for each other's mutexes;
   THREAD_OWNER_STOPPED: the caller has it now, in whatever state the protected
   data are. */
enum thread_error thread_mutex_lock(struct thread_mutex *mutex);

/* THREAD_NOT_OWNER. */
enum thread_error thread_mutex_unlock(struct thread_mutex *mutex);

/* Takes one, and waits for it at most that long. 0: it doesn't wait (processes
   may call it). THREAD_TIMED_OUT, THREAD_TOO_FAR, THREAD_NOT_IN_A_THREAD. */
#define THREAD_FOREVER 0xffffffffUL
enum thread_error thread_semaphore_wait(struct thread_semaphore *semaphore);
enum thread_error thread_semaphore_wait_for(struct thread_semaphore *semaphore,
                                            uint32_t microseconds);

/* Gives one back, or signals; it may be called anywhere and does not preempt. The
   count stays at 255. */
void thread_semaphore_post(struct thread_semaphore *semaphore);

/* Signals so that at most one signal waits, as a notification does (section 3 of
   the paper: an unlocked semaphore is unlocked again). */
void thread_semaphore_signal(struct thread_semaphore *semaphore);

/* The same for work with a deadline: if the signal has to wait, the thread that
   takes it has that deadline from then on, even if it is later than its previous
   one. If several became one signal, the earliest deadline counts. */
void thread_semaphore_signal_by(struct thread_semaphore *semaphore,
                                uint32_t deadline);

#endif
