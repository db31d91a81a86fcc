/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the log's records of threads; spark/README.md says what each field is. */
#ifndef THREAD_LOG_H_
#define THREAD_LOG_H_

/* Begin and end of the measured time: counts begin at 0, and the dump prints them
   as they were at its end, if there was one. Errors are always counted. */
void threads_begin_counting(void);
void threads_end_counting(void);

/* After the run: !thr for each thread in the table, stopped ones too, and for
   the idle thread; !cnt context_switches and those threads_ERROR that are not 0. */
void thread_log_dump(void);

/* With a trace: from now on prints !sch for each change of the running thread. */
void thread_log_trace(void);

#endif
