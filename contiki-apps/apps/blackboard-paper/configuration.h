/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of the run, read from the mote's EEPROM image; application.yaml
   describes it. */
#ifndef CONFIGURATION_H_
#define CONFIGURATION_H_

#include <stdbool.h>
#include <stdint.h>

struct configuration {
  bool runs; /* the test case; another mote does nothing */
  bool trace;
  bool gives_up;
  bool adapts;
  bool each_phase; /* drawn at each publication, not only at the first */
  uint32_t seed;
  uint32_t duration, drain; /* ms */
  uint32_t extra_work, deadline; /* us */
  uint32_t publisher_cost, subscriber_cost; /* us of CPU */
};

extern struct configuration configuration;

/* Returns NULL, or a message about the image's fault. */
const char *configuration_read(void);

#endif
