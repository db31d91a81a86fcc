/* SPDX-License-Identifier: Apache-2.0 */
/* What the module's files share. All with the lock taken. */
#ifndef THREAD_SCHEDULER_H_
#define THREAD_SCHEDULER_H_

#include "thread.h"

#define THREADS_EACH(t) \
  for(struct thread **place = thread_table; place < thread_table + THREADS_MAX; \
      place++) \
    for(struct thread *t = *place; t != NULL; t = NULL)

/* The thread leaves the CPU, for what it now is; returns when it has it again, how
   its wait ended. THREAD_NOT_IN_A_THREAD. */
enum thread_error thread_scheduler_leave(enum thread_state state, enum thread_why why);

/* The thread could run: at the end of those of its priority. */
void thread_scheduler_make_ready(struct thread *thread);

/* Another thread than before may be the one to run: if none does, look. */
void thread_scheduler_look(void);

/* Not a thread any more, its mutexes handed on. */
void thread_scheduler_stop(struct thread *thread);

/* The calling thread will leave for that long at most. THREAD_NOT_IN_A_THREAD,
   THREAD_TOO_FAR. */
enum thread_error thread_scheduler_set_wake_time(uint32_t us);

/* The running thread has had the CPU up to now. */
void thread_scheduler_settle(uint32_t now);

/* Of those that wait for the lock, or (NULL) of those that could run: the one
   that the most urgent of all threads needs, and which that is. NULL: none. */
struct thread *thread_scheduler_most_needed(const struct thread_lock *lock,
                                            struct thread **most_urgent);

/* It goes to the next that waits for it, if any. */
void thread_lock_hand_on(struct thread_lock *lock, enum thread_error result);

/* The stack as new; is it as it should be? Halts if that was too late. */
void thread_stack_paint(struct thread *thread);
bool thread_stack_is_whole(const struct thread *thread);

#endif
