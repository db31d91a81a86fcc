/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

/* The time in each radio state is dumped after the run. */
#define ENERGEST_CONF_ON 1

/* A subscriber in the middle of a large star hears all its publishers. */
#define PUBSUB_CONF_MAX_NEIGHBOURS 128

#endif
