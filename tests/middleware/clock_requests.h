/* SPDX-License-Identifier: Apache-2.0 */
/* The part that all clocks of these tests share, whatever moves their time (thread-port.h). */
#ifndef CLOCK_REQUESTS_H_
#define CLOCK_REQUESTS_H_

#include <stdbool.h>

static volatile bool requested; /* threads_run() wants to be called again */

void
thread_clock_request(void)
{
  requested = true;
}

/* Nobody counts how long the CPU was busy. */
void
thread_clock_account(bool busy)
{
}

#endif
