/* SPDX-License-Identifier: Apache-2.0 */
/* What the stories of threads.c have in common: nine threads, locks, and what they say. */
#ifndef THREADS_STORY_H_
#define THREADS_STORY_H_

#include "contiki.h"
#include "cpu-use.h"
#include "net/netstack.h"
#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"
#include "sys/energest.h"
#include "dev/moteid.h"
#include "thread-lock.h"
#include "thread-log.h"

#include <stdio.h>
#include <string.h>

#define MS 1000UL

/* Each story gives its threads their function and their priority. */
THREAD(a, THREAD_PRIORITY_NORMAL, 256);
THREAD(b, THREAD_PRIORITY_NORMAL, 256);
THREAD(c, THREAD_PRIORITY_NORMAL, 256);
THREAD(d, THREAD_PRIORITY_NORMAL, 256);
THREAD(e, THREAD_PRIORITY_NORMAL, 256);
THREAD(f, THREAD_PRIORITY_NORMAL, 256);
THREAD(g, THREAD_PRIORITY_NORMAL, 256);
THREAD(h, THREAD_PRIORITY_NORMAL, 256);
THREAD(i, THREAD_PRIORITY_NORMAL, 256);
static struct thread *const threads[] = { &a, &b, &c, &d, &e, &f, &g, &h, &i };
static void (*does[9])(void);
THREAD_BODY(a) { does[0](); }
THREAD_BODY(b) { does[1](); }
THREAD_BODY(c) { does[2](); }
THREAD_BODY(d) { does[3](); }
THREAD_BODY(e) { does[4](); }
THREAD_BODY(f) { does[5](); }
THREAD_BODY(g) { does[6](); }
THREAD_BODY(h) { does[7](); }
THREAD_BODY(i) { does[8](); }

static struct thread_mutex mutex = THREAD_MUTEX, other_mutex = THREAD_MUTEX;
static struct thread_semaphore resource = THREAD_SEMAPHORE(1), signal = THREAD_SEMAPHORE(0);
static struct etimer timer;
static struct rtimer taken;

PROCESS(story_process, "Story");
AUTOSTART_PROCESSES(&story_process);

static void
say(const char *what, long number)
{
  printf("%s: %s %ld\n", thread_self() != NULL ? thread_self()->name : "process", what, number);
}

static void
start(unsigned which, enum thread_priority priority, void (*what)(void))
{
  does[which] = what;
  threads[which]->priority = priority;
  say("started", thread_start(threads[which]));
}

#endif
