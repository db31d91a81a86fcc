/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructor (section 3.4) is a mote outside the boards that all others hear. It tells them
 * which functions to call. Its serial port takes commands:
 *
 *   -3-10-temp-   mote 3 is to advertise the event temp
 *   -4-11-temp-   mote 4 is to subscribe to it
 *   -3-13-0300-   mote 3 is to push every 300 ms
 *   -3-12-temp-   mote 3 is to push temp a hundred times
 */
#ifndef EVENT_SERVICE_INSTRUCTOR_H_
#define EVENT_SERVICE_INSTRUCTOR_H_

#include "event-service-frames.h"

/* This mote is the instructor: commands come by its serial port. */
void event_service_instructor_start(uint16_t mote);

/* Read a command. False if it is none; `number` is left as it is. */
bool event_service_instructor_read(const char *line,
                                   struct event_service_instruction *instruction);

/* For the other motes: `instructed` is called once for each instruction to this mote. */
void event_service_instructed_set(void (*instructed)(const struct event_service_instruction *));

bool event_service_instruction_input(uint16_t from, const uint8_t *body, uint16_t length);

#endif
