/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the network layer refuse broadcast frames before they cost any work in the stack. */
#ifndef LINK_FILTER_H_
#define LINK_FILTER_H_

#include <stdbool.h>
#include <stdint.h>

/* A broadcast frame for whose payload `passes_by` returns true is dropped before a process sees it. The function
   may be called at any time and must change nothing but counters. NETSTACK_CONF_LINK_FILTER names this
   function. */
void link_filter_set(bool (*passes_by)(const uint8_t *payload, uint16_t length));

#endif
