/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that an application may make in its project-conf.h; its THREADS_CONF_MAX must be as large. */
#ifndef DISTRIBUTION_CONF_H_
#define DISTRIBUTION_CONF_H_

/* Tasks of one node. */
#ifdef DISTRIBUTION_CONF_TASKS
#define DISTRIBUTION_TASKS DISTRIBUTION_CONF_TASKS
#else
#define DISTRIBUTION_TASKS 8
#endif

/* Values that wait for a task, and frames that wait for the network. */
#define DISTRIBUTION_WAITING 4
#define DISTRIBUTION_FRAMES 16

#endif
