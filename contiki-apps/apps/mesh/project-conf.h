/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

#include <stdint.h>

/* The EEPROM counts boots, so that the numbers of events in the log show the
   boot. */
uint16_t configuration_boot(void);
#define DIFFUSION_CONF_INCARNATION() configuration_boot()

/* Any mote may have to pass on events of all topics, publishers and subscribers. */
#define DIFFUSION_CONF_MAX_TOPICS 8
#define DIFFUSION_CONF_MAX_GRADIENTS 16
#define DIFFUSION_CONF_MAX_FLOWS 32
#define DIFFUSION_CONF_MAX_PASSED 16
#define DIFFUSION_CONF_MAX_NEIGHBOURS 12

/* Copies for several next hops, and interests for all, wait at the same time. */
#define CSMA_CONF_MAX_NEIGHBOR_QUEUES 6
#define QUEUEBUF_CONF_NUM 16

#endif
