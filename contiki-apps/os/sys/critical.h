/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CRITICAL_H_
#define CRITICAL_H_

#include "sys/int-master.h"

static inline int_master_status_t critical_enter(void) { return int_master_read_and_disable(); }
static inline void critical_exit(int_master_status_t status) { int_master_status_set(status); }

#endif
