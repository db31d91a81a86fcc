/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

#define ENERGEST_CONF_ON 1

/* The time that a run of the blackboard thread takes, us: an assumption, rather
   too long. */
#define BLACKBOARD_CONF_CPU_USE 1000

/* The reading that the three applications share, hundredths of a degree. */
#define BLACKBOARD_CONF_EVENTS(X) \
  X(READING, SIGNED, 1, 6)
#define BLACKBOARD_CONF_BINDINGS(X) \
  X(OUT, reading, READING, 4)

#endif
