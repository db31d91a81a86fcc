/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTIMER_H_
#define CTIMER_H_

#include "contiki.h"

struct ctimer {
  struct ctimer *next;
  clock_time_t at;
  void (*f)(void *);
  void *ptr;
};

void ctimer_set(struct ctimer *c, clock_time_t t, void (*f)(void *), void *ptr);
void ctimer_stop(struct ctimer *c);
clock_time_t ctimer_expiration_time(struct ctimer *c);

#endif
