/* SPDX-License-Identifier: Apache-2.0 */
/* What an application declares for a thread, its stack apart, and for what threads
   wait for; `make sizes` counts it. Nothing includes this. */
#include "thread-lock.h"

THREAD(thread, THREAD_PRIORITY_NORMAL, 256);
THREAD_BODY(thread) { }
struct thread_mutex thread_mutex;
struct thread_semaphore thread_semaphore;
