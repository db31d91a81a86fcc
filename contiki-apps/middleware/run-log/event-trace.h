/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace: one record for everything that happens to an event. Printing takes
 * time on a real mote, so a measured run has no trace (5.2.3 of the aggregation
 * paper).
 */
#ifndef EVENT_TRACE_H_
#define EVENT_TRACE_H_

#include <stdbool.h>

void event_trace_switch(bool on);

#endif
