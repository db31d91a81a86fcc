/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFIGURATION_H_
#define CONFIGURATION_H_

#include <stdbool.h>
#include <stdint.h>

enum script {
  SCRIPT_CALM, SCRIPT_FIRE, SCRIPT_SUN, SCRIPT_OPENED, SCRIPT_WARM, SCRIPT_WARM_THEN_OPENED,
  SCRIPT_RANDOM, SCRIPTS
};

enum attack { ATTACK_NONE, ATTACK_INJECT, ATTACK_REPLAY, ATTACK_FLOOD, ATTACK_DISABLE, ATTACK_CODE, ATTACKS };

/* From the EEPROM image; times in ms. */
struct configuration {
  uint8_t role; /* EEPROM_FIELDS_ROLE_... */
  uint16_t mote;
  bool trace;
  uint32_t seed;
  uint32_t duration, drain, warm_up;
  uint32_t policies; /* that this mote loads: a bit each */
  uint8_t script;
  uint8_t hot;       /* percent of the script random's readings */
  bool near;         /* it happens where this mote is */
  uint32_t event_at;
  uint32_t interval;
  int16_t target, delta; /* degrees */
  uint32_t group_key;
  uint8_t attack;
  uint32_t attack_at;
  uint8_t update, updated, updated_by; /* POLICY_UPDATE_...; 0: none */
  uint32_t update_at;
  uint8_t awaited;    /* the last mote whose answer to an update is wanted */
  uint32_t reboot_at; /* 0: never */
  uint32_t off_for;
};

extern struct configuration configuration;

/* NULL, or a message about the image's fault. */
const char *configuration_read(void);

/* How often this mote has booted, kept in the EEPROM: 0 at first. Counts one more. */
uint16_t configuration_boot(void);

/* "sprinkler", .. */
const char *configuration_role(void);

#endif
