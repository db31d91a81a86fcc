/* SPDX-License-Identifier: Apache-2.0 */
/* The log's records of threads: spark/README.md says what each field is. */
#ifndef THREAD_LOG_H_
#define THREAD_LOG_H_

/* The measured time: the counts begin at 0; the dump tells what they were at its
   end, if it had one. Errors count always. */
void threads_begin_counting(void);
void threads_end_counting(void);

/* After the run: !thr for each thread in the table, stopped ones too, and for
   the idle thread; !cnt context_switches and those threads_ERROR that are not 0. */
void thread_log_dump(void);

/* With trace on: from now on !sch for each change of the running thread. */
void thread_log_trace(void);

#endif
