/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts: a mote of Cooja is only interrupted where it waits. */
#ifndef INT_MASTER_H_
#define INT_MASTER_H_

#include "contiki.h"

typedef uint32_t int_master_status_t;

static inline void int_master_enable(void) { }
static inline int_master_status_t int_master_read_and_disable(void) { return 0; }
static inline void int_master_status_set(int_master_status_t status) { (void)status; }
static inline bool int_master_is_enabled(void) { return true; }

#endif
