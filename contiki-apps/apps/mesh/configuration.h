/* SPDX-License-Identifier: Apache-2.0 */
/* The role of this mote, read from its EEPROM image; application.yaml describes
   it. */
#ifndef CONFIGURATION_H_
#define CONFIGURATION_H_

#include <stdbool.h>
#include <stdint.h>

struct configuration {
  uint16_t mote;
  uint16_t ender;     /* the mote that ends the run */
  uint8_t subscriber; /* its number, 0: none */
  uint8_t publisher;  /* its number, 0: none */
  uint8_t killed;     /* 0: it does not die */
  uint8_t topics;
  uint8_t trace;
  uint32_t seed;
  /* ms: the first from the end of the warm-up, that from boot on */
  uint32_t duration, drain, kill_at, renewal, interval, warm_up;
  uint32_t revive_after; /* ms from its death to its next boot, 0: none */
};

extern struct configuration configuration;

/*
 * Returns how often this mote has booted before. The count is in the EEPROM,
 * which a death doesn't erase, and grows with each call; diffusion makes one
 * when it starts.
 */
uint16_t configuration_boot(void);

/* Returns NULL, or a message about the image's fault. */
const char *configuration_read(void);

#endif
