/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTIMER_H_
#define RTIMER_H_
#include "contiki.h"
#define RTIMER_NOW() clock_time()
#endif
