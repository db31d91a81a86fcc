/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that an application declares for a thread, without its stack, and for
   the objects that threads wait for; `make sizes` counts it. No file includes this
   one. */
#include "thread-lock.h"

THREAD(thread, THREAD_PRIORITY_NORMAL, 256);
THREAD_BODY(thread) { }
struct thread_mutex thread_mutex;
struct thread_semaphore thread_semaphore;
