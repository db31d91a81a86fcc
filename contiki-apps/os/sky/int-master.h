/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of the processor. */
#ifndef INT_MASTER_H_
#define INT_MASTER_H_

#include <stdbool.h>

#include "sky/msp430.h"

typedef uint16_t int_master_status_t;

static inline void
int_master_enable(void)
{
  interrupts_on();
}

static inline bool
int_master_is_enabled(void)
{
  return (status_register() & GIE) != 0;
}

static inline int_master_status_t
int_master_read_and_disable(void)
{
  int_master_status_t status = status_register();

  interrupts_off();
  return status;
}

static inline void
int_master_status_set(int_master_status_t status)
{
  if(status & GIE) {
    interrupts_on();
  }
}

#endif
