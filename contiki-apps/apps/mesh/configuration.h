/* SPDX-License-Identifier: Apache-2.0 */
/* What this mote is, from its EEPROM image; application.yaml describes it. */
#ifndef CONFIGURATION_H_
#define CONFIGURATION_H_

#include <stdbool.h>
#include <stdint.h>

struct configuration {
  uint16_t mote;
  uint16_t ender;     /* the mote that says when the run ends */
  uint8_t subscriber; /* its number, 0: none */
  uint8_t publisher;  /* its number, 0: none */
  uint8_t killed;     /* 0: it lives on */
  uint8_t topics;
  uint8_t trace;
  uint32_t seed;
  /* ms: the first from the end of the warm-up, that from boot on */
  uint32_t duration, drain, kill_at, renewal, interval, warm_up;
};

extern struct configuration configuration;

/* Returns NULL, or what is wrong with the image. */
const char *configuration_read(void);

#endif
