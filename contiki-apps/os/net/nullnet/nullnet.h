/* SPDX-License-Identifier: Apache-2.0 */
/* No network layer: what the application hands over goes into a frame. */
#ifndef NULLNET_H_
#define NULLNET_H_

#include "contiki.h"
#include "net/linkaddr.h"

/* The payload that NETSTACK_NETWORK.output() sends. */
extern uint8_t *nullnet_buf;
extern uint16_t nullnet_len;

/* A frame for this mote or for all (dest: linkaddr_null). */
typedef void (*nullnet_input_callback)(const void *data, uint16_t len,
                                       const linkaddr_t *src, const linkaddr_t *dest);
void nullnet_set_input_callback(nullnet_input_callback callback);

#endif
