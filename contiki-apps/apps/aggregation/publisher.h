/* SPDX-License-Identifier: Apache-2.0 */
/* Publishes pseudo sensor values by the schedule; relays only merge. */
#ifndef PUBLISHER_H_
#define PUBLISHER_H_

#include <stdint.h>

/* Announce the channel, with the merge function if it is configured. */
void publisher_initialise(void);

/* Publish from now on; `at`: the start of the run, ms, run_now(). */
void publisher_start(uint32_t at);

/* Individual events that wait in the merge function. */
uint8_t publisher_pending(void);

#endif
