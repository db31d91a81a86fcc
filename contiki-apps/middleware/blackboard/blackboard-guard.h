/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prevents an interrupt or a switch of threads between the test of a flag or an
 * index and its change. On a Cooja mote neither happens there; a test on the host
 * has neither.
 */
#ifndef BLACKBOARD_GUARD_H_
#define BLACKBOARD_GUARD_H_

#ifdef BLACKBOARD_CONF_ALONE
typedef int blackboard_guard_t;
#define blackboard_guard_take() 0
#define blackboard_guard_leave(guard) (void)(guard)
#else
#include "thread-port.h"
typedef thread_lock_state_t blackboard_guard_t;
#define blackboard_guard_take() thread_interrupts_lock()
#define blackboard_guard_leave(guard) thread_interrupts_unlock(guard)
#endif

#endif
