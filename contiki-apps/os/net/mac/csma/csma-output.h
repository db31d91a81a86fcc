/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSMA_OUTPUT_H_
#define CSMA_OUTPUT_H_

#include "net/mac/mac.h"

void csma_output_init(void);
void csma_output_packet(mac_callback_t sent, void *ptr);

#endif
