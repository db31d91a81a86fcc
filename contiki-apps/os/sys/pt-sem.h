/* SPDX-License-Identifier: Apache-2.0 */
/* Counting semaphores for protothreads. */
#ifndef PT_SEM_H_
#define PT_SEM_H_

#include "sys/pt.h"

struct pt_sem {
  unsigned int head; /* signals so far, the initial count included */
  unsigned int tail; /* waits passed so far */
};

#define PT_SEM_COUNT(sem) ((sem)->head - (sem)->tail)
#define PT_SEM_INIT(sem, count)                                                \
  do {                                                                         \
    (sem)->head = (count);                                                     \
    (sem)->tail = 0;                                                           \
  } while(0)
#define PT_SEM_WAIT(pt, sem)                                                   \
  do {                                                                         \
    PT_WAIT_UNTIL(pt, PT_SEM_COUNT(sem) > 0);                                  \
    (sem)->tail++;                                                             \
  } while(0)
#define PT_SEM_SIGNAL(pt, sem) ((sem)->head++)

#endif
