/* SPDX-License-Identifier: Apache-2.0 */
/* Lines from the serial port. All processes get serial_line_event_message with
   the line, a string, as its data, which is valid until they have seen it. */
#ifndef SERIAL_LINE_H_
#define SERIAL_LINE_H_

#include "contiki.h"

/* A longer line is cut. */
#ifdef SERIAL_LINE_CONF_BUFSIZE
#define SERIAL_LINE_BUFSIZE SERIAL_LINE_CONF_BUFSIZE
#else
#define SERIAL_LINE_BUFSIZE 128
#endif

extern process_event_t serial_line_event_message;

void serial_line_init(void);
int serial_line_input_byte(unsigned char c);

PROCESS_NAME(serial_line_process);

#endif
