/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampling Buffer Component (Russello, Mostarda and Dulay 2011, 3.3): keeps samples
 * and answers predicates on them. One sample is kept for each topic.
 */
#ifndef SAMPLING_BUFFER_H_
#define SAMPLING_BUFFER_H_

#include <stdbool.h>
#include <stdint.h>

/* Topics that have a sample. */
#ifdef SAMPLING_BUFFER_CONF_SAMPLES
#define SAMPLING_BUFFER_SAMPLES SAMPLING_BUFFER_CONF_SAMPLES
#else
#define SAMPLING_BUFFER_SAMPLES 4
#endif

void sampling_buffer_init(void);

/*
 * Send on delta (5.3): whether the value differs by more than delta from that of
 * the last event of this topic of which this was true. The first one of all is
 * only kept. Within one event it always says the same, so that a condition and its
 * opposite may both ask.
 */
bool sampling_buffer_deviate_delta(int16_t value, int16_t delta);

/* Send on delta or zero (5.2): whether the value differs by more than delta from the
   target, or is equal to it. */
bool sampling_buffer_deviate_or_zero(int16_t value, int16_t target, int16_t delta);

#endif
