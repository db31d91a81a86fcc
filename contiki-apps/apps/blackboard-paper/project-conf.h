/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

/* One event with one value, and as many subscribers as a management frame
   has. */
#define BLACKBOARD_CONF_EVENTS(X) X(NUMBER, UNSIGNED, 1, 6)

/* To the log, each change of an adaptive deadline is a new subscription. */
#define BLACKBOARD_CONF_LOGGED 40

#endif
