/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CC2420_RECEIVE_H
#define CC2420_RECEIVE_H

#include "sky/cc2420.h"

/* A byte from the air comes to its end. */
void cc2420_receive(struct cc2420 *radio, uint8_t byte);

#endif
