/* SPDX-License-Identifier: Apache-2.0 */
/* What the microcontroller commands to the CC2420 over the SPI. */
#ifndef CC2420_SPI_H
#define CC2420_SPI_H

#include "sky/cc2420.h"

void cc2420_select(struct cc2420 *radio, bool selected);

/* A byte on the SPI. The radio answers at once, if it does: msp430_usart_receive(). */
void cc2420_command(struct cc2420 *radio, uint8_t byte);

#endif
