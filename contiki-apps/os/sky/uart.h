/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKY_UART_H_
#define SKY_UART_H_

#include <stdbool.h>

/* The serial line: USART 1, 115,200 bit/s, 8 bits, no parity. */
void uart_init(void);
bool uart_is_sending(void);

#endif
