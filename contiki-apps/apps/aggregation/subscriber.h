/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscribes to the topic and counts the individual events that it gets:
 * how many of each publisher, which of them more than once (section 4:
 * applications "may receive individual events multiple times"), how many per
 * message, and how long they took.
 */
#ifndef SUBSCRIBER_H_
#define SUBSCRIBER_H_

#include <stdint.h>

/* The most publishers whose events a subscriber can count. */
#ifdef SUBSCRIBER_CONF_MAX_PUBLISHERS
#define SUBSCRIBER_MAX_PUBLISHERS SUBSCRIBER_CONF_MAX_PUBLISHERS
#else
#define SUBSCRIBER_MAX_PUBLISHERS 64
#endif

void subscriber_initialise(void);

/* `at`: the start of the run, ms, run_now(). */
void subscriber_start(uint32_t at);

/* Stop counting. */
void subscriber_stop(void);

/* Print its records; a section at a time, 0, 1, .., until it returns 0. */
int subscriber_dump(unsigned section);

#endif
