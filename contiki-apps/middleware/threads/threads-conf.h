/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that an application may make in its project-conf.h. */
#ifndef THREADS_CONF_H_
#define THREADS_CONF_H_

/* The module needs no Contiki, but where there is one all its files see the same settings. */
#ifdef PROJECT_CONF_PATH
#include PROJECT_CONF_PATH
#endif

/* The most threads at a time, without the idle thread. MANTIS OS: 8. */
#ifdef THREADS_CONF_MAX
#define THREADS_MAX THREADS_CONF_MAX
#else
#define THREADS_MAX 8
#endif

/* The period of the free-running timer, us. MANTIS OS: 20 ms. */
#ifdef THREADS_CONF_SLICE
#define THREADS_SLICE THREADS_CONF_SLICE
#else
#define THREADS_SLICE 20000
#endif

/* 1: a thread that becomes ready, and is more urgent than the running one, has the
   CPU at once. MANTIS OS: 0, it waits for the end of the slice. */
#ifdef THREADS_CONF_PREEMPT
#define THREADS_PREEMPT THREADS_CONF_PREEMPT
#else
#define THREADS_PREEMPT 0
#endif

#endif
