/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes computing take time: on a Cooja mote, code takes no simulated time by
 * itself. Results that depend on it are modelled, not measured, and must be
 * presented so.
 *
 * While a thread uses the CPU, simulated time passes, interrupts and processes
 * are served, and at the end of a slice the scheduler may give the CPU to
 * another thread: the call returns when this one has had its microseconds. On a
 * microcontroller it is a loop that computes for so long.
 */
#ifndef CPU_USE_H_
#define CPU_USE_H_

#include <stdint.h>
#include "thread.h"

/* THREAD_OK, or THREAD_NOT_IN_A_THREAD: a process can't use the CPU. */
enum thread_error cpu_use(uint32_t microseconds);

#endif
