/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations that the module's files share. All functions are called with the
   lock taken. */
#ifndef THREAD_SCHEDULER_H_
#define THREAD_SCHEDULER_H_

#include "thread.h"

#define THREADS_EACH(t) \
  for(struct thread **place = thread_table; place < thread_table + THREADS_MAX; \
      place++) \
    for(struct thread *t = *place; t != NULL; t = NULL)

/* The calling thread leaves the CPU in its new state. When it has the CPU again, this
   returns how its wait ended, or THREAD_NOT_IN_A_THREAD. */
enum thread_error thread_scheduler_leave(enum thread_state state, enum thread_why why);

/* The thread can run: it is put after the others of its priority. */
void thread_scheduler_make_ready(struct thread *thread);

/* Another thread than before may have to run; if none runs, the scheduler is
   called. */
void thread_scheduler_look(void);

/* Removes the thread and hands its mutexes on. */
void thread_scheduler_stop(struct thread *thread);

/* Sets for how long, at most, the calling thread will leave. Errors:
   THREAD_NOT_IN_A_THREAD, THREAD_TOO_FAR. */
enum thread_error thread_scheduler_set_wake_time(uint32_t us);

/* Accounts for the CPU that the running thread has had up to now. */
void thread_scheduler_settle(uint32_t now);

/* Of the threads that wait for the lock, or (NULL) of those that can run: finds the
   one that the most urgent of all threads needs, and which thread that is. NULL: there
   is none. */
struct thread *thread_scheduler_most_needed(const struct thread_lock *lock,
                                            struct thread **most_urgent);

/* Hands the lock to the next thread that waits for it, if there is one. */
void thread_lock_hand_on(struct thread_lock *lock, enum thread_error result);

/* Paints the stack as new; checks whether it is intact, and halts the mote if it is
   too late. */
void thread_stack_paint(struct thread *thread);
bool thread_stack_is_whole(const struct thread *thread);

#endif
