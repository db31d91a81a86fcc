/* SPDX-License-Identifier: Apache-2.0 */
/* The modes of emulated motes' processors, in the records of radios (observer.h), as they take energy beside these. */
#ifndef PROCESSORS_H
#define PROCESSORS_H

#include "motes/simulation.h"

enum { LOW_POWER_MODES = 5 }; /* LPM0 to LPM4 of the MSP430 */

struct processor_times { /* us */
  int64_t active_us, asleep_us[LOW_POWER_MODES];
};

/* Returns false for a mote that computes in no simulated time. */
typedef bool processor_times_of(const struct mote *mote, struct processor_times *times);

/* Must be called at the simulation's end, before observer_end(). */
void processors_record(const struct simulation *simulation, processor_times_of *times_of);

#endif
