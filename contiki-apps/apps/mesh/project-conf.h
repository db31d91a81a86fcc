/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

/* Any mote may have to pass on events of all topics, publishers and subscribers. */
#define DIFFUSION_CONF_MAX_TOPICS 8
#define DIFFUSION_CONF_MAX_GRADIENTS 16
#define DIFFUSION_CONF_MAX_FLOWS 32
#define DIFFUSION_CONF_MAX_AWAITED 24
#define DIFFUSION_CONF_MAX_OVERHEARD 32

#endif
