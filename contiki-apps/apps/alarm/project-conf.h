/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

#define ENERGEST_CONF_ON 1

/* The time that a run of the blackboard thread takes, us: an assumption, rather
   too long. */
#define BLACKBOARD_CONF_CPU_USE 1000

/* A publisher's READING, hundredths of a degree, leads to its ALARM, which is
   sent; the subscriber's HEARD is an alarm that arrived. */
#define BLACKBOARD_CONF_EVENTS(X) \
  X(READING, SIGNED, 1, 6) \
  X(ALARM, SIGNED, 1, 6) \
  X(HEARD, SIGNED, 1, 6)
#define BLACKBOARD_CONF_BINDINGS(X) \
  X(OUT, alarm, ALARM, 4) \
  X(IN, alarm, HEARD, 4)

#endif
