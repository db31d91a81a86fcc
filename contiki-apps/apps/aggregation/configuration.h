/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The role and settings of this mote, read from its EEPROM image. application.yaml
 * describes the image, and eeprom-fields.h is made from it.
 */
#ifndef CONFIGURATION_H_
#define CONFIGURATION_H_

#include <stdbool.h>
#include <stdint.h>
#include "publication-schedule.h"

enum role {
  ROLE_SUBSCRIBER = 1,
  ROLE_PUBLISHER = 2,
  ROLE_RELAY = 3,
  ROLE_CONTROL = 4
};

/* When an aggregate is full: with all publishers that pass this mote, or with all
   in the network. */
enum full {
  FULL_ROUTE = 1,
  FULL_NETWORK = 2
};

/* How the merge function changes its time-out. */
enum hold {
  HOLD_TIMEOUT = 1, /* forward, always after the same time */
  HOLD_SHRINKING = 2, /* the fuller, the sooner */
  HOLD_ENDLESS = 3  /* renew it for ever */
};

struct configuration {
  uint8_t role;
  uint16_t mote, parent, control, subscriber; /* mote ids, 0: none */
  uint8_t index;              /* of this publisher, 0: none */
  uint8_t publishers;         /* in the network */
  uint8_t publishers_through; /* of topic 1 that pass this mote, itself included */
  uint8_t topic;              /* that this publisher publishes on: 1 or 2 */
  uint8_t second_through;     /* publishers of topic 2 that pass this mote */
  bool trace;
  bool aggregate;             /* here: false where it isn't deployed */
  uint8_t full;
  uint8_t merge;              /* enum merge_choice */
  uint8_t hold;
  uint32_t begins;            /* ms from boot to the start; 0: when verified */
  uint32_t drain;             /* ms after the last round's interval began */
  uint32_t timeout;           /* ms, of the merge function */
  struct publication_parameters publication;
};

extern struct configuration configuration;

/*
 * Read the image, and tell the routing layer the neighbours that it lists.
 * Returns NULL, or a message about its fault.
 */
const char *configuration_read(void);

/* The log format's name of the role. */
const char *configuration_role_name(void);

#endif
