/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETIMER_H_
#define ETIMER_H_

#include "sys/ctimer.h"
#include "sys/process.h"

struct etimer {
  struct ctimer call;
  struct process *process;
  bool expired;
};

void etimer_set(struct etimer *et, clock_time_t interval);

static inline bool
etimer_expired(const struct etimer *et)
{
  return et->expired;
}

#endif
