/* SPDX-License-Identifier: Apache-2.0 */
#define BLACKBOARD_CONF_EVENTS(X) \
  X(0, SIGNED, 1, 6) X(1, SIGNED, 1, 6) X(2, SIGNED, 1, 6) \
  X(3, SIGNED, 1, 6) X(4, SIGNED, 1, 6) X(5, SIGNED, 1, 6) \
  X(6, SIGNED, 1, 6) X(7, SIGNED, 1, 6)
#ifdef CONDITIONS
#define BLACKBOARD_CONF_CONDITIONS CONDITIONS
#endif
