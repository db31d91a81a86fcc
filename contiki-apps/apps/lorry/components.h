/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The components of the lorry. Each does what its hardware does and no more: what
 * they have to do with each other is in policies.
 */
#ifndef COMPONENTS_H_
#define COMPONENTS_H_

#include <stdint.h>
#include "pubsub.h"

struct component {
  void (*start)(void);
  void (*reading)(void); /* every interval; NULL: it takes none */
  void (*dump)(void);    /* its own counters, or NULL */
  void (*stop)(void);    /* its timers, when the power fails, or NULL */
};

extern const struct component lorry_temperature, lorry_smoke, lorry_package, lorry_sprinkler,
  lorry_climate, lorry_alarm_unit, lorry_driver, lorry_attacker;

/* The same with the rules of Figures 14 to 18 in their own code, and everything broadcast. */
extern const struct component lorry_coded_temperature, lorry_coded_smoke, lorry_coded_sprinkler,
  lorry_coded_climate;

/* The component of this mote's role; NULL: it only forwards. */
const struct component *lorry_component(void);

/* Publish numbers on the topic of a channel; on NULL, which a full table gives, nothing. */
void lorry_notify(struct pubsub_publisher_channel *channel, const int16_t *numbers, uint8_t count);

/* A component's action on the world, in words: a line of the log. */
void lorry_does(const char *what);

#endif
