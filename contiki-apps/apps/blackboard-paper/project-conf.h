/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

/* One event of one value, as many subscribers as a management frame has. */
#define BLACKBOARD_CONF_EVENTS(X) X(NUMBER, UNSIGNED, 1, 6)

/* For the log, a deadline that adapts itself is a new subscription each time. */
#define BLACKBOARD_CONF_LOGGED 40

#endif
