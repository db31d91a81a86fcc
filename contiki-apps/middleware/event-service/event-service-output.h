/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends frames by the radio, and by a base station's UART. Both share one
 * send buffer, as in TinyOS 1's GenericComm, on which the thesis built: while a
 * frame is under way to either, another one is refused.
 */
#ifndef EVENT_SERVICE_OUTPUT_H_
#define EVENT_SERVICE_OUTPUT_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-event.h"

/*
 * The bytes that a frame takes on the serial line beside its own: HDLC-like framing in
 * TinyOS's serial protocol has two flags, a type, and a CRC of two bytes; escapes
 * aren't counted.
 */
#define EVENT_SERVICE_UART_FRAMING 5

void event_service_output_init(void);

/*
 * Send a frame of that type and body to a neighbour or all. `event`: the event that the trace
 * shows, or NULL. False if the send buffer is full.
 */
bool event_service_send(uint8_t type, uint16_t next_hop, const uint8_t *body,
                        uint16_t length, const struct pubsub_event *event);

/* The same to the gateway, as a line with `#` and the frame in hexadecimal. */
bool event_service_uart_send(uint8_t type, const uint8_t *body, uint16_t length);

/* Reads a line from the serial port. Returns true if it is a frame, and its type and body. */
bool event_service_uart_read(const char *line, uint8_t *type, uint8_t *body, uint16_t *length);

#endif
