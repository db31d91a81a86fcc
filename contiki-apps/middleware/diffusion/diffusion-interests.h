/* SPDX-License-Identifier: Apache-2.0 */
/* Floods interests: this node's own, and those of others that it sends on. */
#ifndef DIFFUSION_INTERESTS_H_
#define DIFFUSION_INTERESTS_H_

#include <stdint.h>
#include "contiki.h"
#include "diffusion-gradients.h"

void diffusion_interests_init(void);

/* This node's first subscription of the topic: flood now and periodically. */
void diffusion_interests_begin(uint8_t topic);

/* The last one is gone: withdraw the interest. */
void diffusion_interests_end(uint8_t topic);

/* Tell the neighbours this node's distance, after a random time below
   `jitter`. */
void diffusion_interests_tell(struct diffusion_gradient *gradient,
                              clock_time_t jitter);

#endif
