/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the network layer refuse frames to all before they cost a way up the stack. */
#ifndef LINK_FILTER_H_
#define LINK_FILTER_H_

#include <stdbool.h>
#include <stdint.h>

/* A frame to all of whose payload `passes_by` says true is gone before a process could see it. The function may be
   called at any time and must change nothing but counters. NETSTACK_CONF_LINK_FILTER names this function. */
void link_filter_set(bool (*passes_by)(const uint8_t *payload, uint16_t length));

#endif
