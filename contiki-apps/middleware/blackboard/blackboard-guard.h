/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Against an interrupt, or a switch of threads, between the test of a flag or an
 * index and its change. On a Cooja mote neither comes there. A test on the host
 * has none of them.
 */
#ifndef BLACKBOARD_GUARD_H_
#define BLACKBOARD_GUARD_H_

#ifdef BLACKBOARD_CONF_ALONE
#define BLACKBOARD_GUARD_BEGIN()
#define BLACKBOARD_GUARD_END()
#else
#include "thread-port.h"
#define BLACKBOARD_GUARD_BEGIN() \
  do { thread_lock_state_t guard_ = thread_interrupts_lock()
#define BLACKBOARD_GUARD_END() \
  thread_interrupts_unlock(guard_); } while(0)
#endif

#endif
