/* SPDX-License-Identifier: Apache-2.0 */
/* What an application may set in its project-conf.h. */
#ifndef THREADS_CONF_H_
#define THREADS_CONF_H_

/* Threads at a time, the idle thread not among them. MANTIS OS: 8. */
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

#endif
