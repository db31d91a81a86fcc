/* SPDX-License-Identifier: Apache-2.0 */
/* Protothreads: threads without a stack, by local continuations. */
#ifndef PT_H_
#define PT_H_

#include "sys/lc.h"

struct pt {
  lc_t lc;
};

/* Return values of a protothread. */
#define PT_WAITING 0
#define PT_YIELDED 1
#define PT_EXITED 2
#define PT_ENDED 3

#define PT_INIT(pt) LC_INIT((pt)->lc)
#define PT_THREAD(name_and_arguments) char name_and_arguments

/* pt_called tells whether this call has passed the last yield or has just
   reached one. */
#define PT_BEGIN(pt)                                                           \
  {                                                                            \
    char pt_called = 1;                                                        \
    (void)pt_called;                                                           \
    LC_RESUME((pt)->lc)

#define PT_END(pt)                                                             \
    LC_END((pt)->lc)                                                           \
    PT_INIT(pt);                                                               \
    return PT_ENDED;                                                           \
  }

#define PT_WAIT_UNTIL(pt, condition)                                           \
  do {                                                                         \
    LC_SET((pt)->lc);                                                          \
    if(!(condition)) {                                                         \
      return PT_WAITING;                                                       \
    }                                                                          \
  } while(0)
#define PT_WAIT_WHILE(pt, condition) PT_WAIT_UNTIL(pt, !(condition))

#define PT_YIELD_UNTIL(pt, condition)                                          \
  do {                                                                         \
    pt_called = 0;                                                             \
    LC_SET((pt)->lc);                                                          \
    if(!pt_called || !(condition)) {                                           \
      return PT_YIELDED;                                                       \
    }                                                                          \
  } while(0)
#define PT_YIELD(pt) PT_YIELD_UNTIL(pt, 1)

#define PT_SCHEDULE(call) ((call) < PT_EXITED)
#define PT_WAIT_THREAD(pt, call) PT_WAIT_WHILE(pt, PT_SCHEDULE(call))
#define PT_SPAWN(pt, child, call)                                              \
  do {                                                                         \
    PT_INIT(child);                                                            \
    PT_WAIT_THREAD(pt, call);                                                  \
  } while(0)

#define PT_EXIT(pt)                                                            \
  do {                                                                         \
    PT_INIT(pt);                                                               \
    return PT_EXITED;                                                          \
  } while(0)
#define PT_RESTART(pt)                                                         \
  do {                                                                         \
    PT_INIT(pt);                                                               \
    return PT_WAITING;                                                         \
  } while(0)

#endif
