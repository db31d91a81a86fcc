/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of the Contiki-NG API as the middleware's cores use, with a clock that
 * the test moves. Tests on a simulated mote are in tests/apps.
 */
#ifndef CONTIKI_H_
#define CONTIKI_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long clock_time_t;
#define CLOCK_SECOND 1000UL
clock_time_t clock_time(void);

#include "sys/process.h"
#include "sys/ctimer.h"
#include "sys/etimer.h"

#endif
