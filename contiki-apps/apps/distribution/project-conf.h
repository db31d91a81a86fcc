/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

#define ENERGEST_CONF_ON 1

/* Each task is a thread, and a more urgent one has the CPU at once, as the analysis assumes. The Makefile says how many. */
#define THREADS_CONF_PREEMPT 1

/* A frame's line. */
#define SERIAL_LINE_CONF_BUFSIZE 128

#endif
