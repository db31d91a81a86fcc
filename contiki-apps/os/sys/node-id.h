/* SPDX-License-Identifier: Apache-2.0 */
/* The mote's number in the simulation. */
#ifndef NODE_ID_H_
#define NODE_ID_H_

#include "contiki.h"
#include "net/linkaddr.h"

extern uint16_t node_id;

void node_id_init(void);

#endif
