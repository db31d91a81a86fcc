/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

#define ENERGEST_CONF_ON 1

/* Events of MAC and routing; only QUEUE has a subscriber here. */
#define BLACKBOARD_CONF_EVENTS(X) \
  X(QUEUE, UNSIGNED, 1, 6) \
  X(RSSI, SIGNED, 1, 6) \
  X(RETRIES, UNSIGNED, 1, 6) \
  X(PARENT, UNSIGNED, 1, 6)
#define BLACKBOARD_CROSSLAYER_CONF_QUEUE EVENT_QUEUE
#define BLACKBOARD_CROSSLAYER_CONF_RSSI EVENT_RSSI
#define BLACKBOARD_CROSSLAYER_CONF_RETRIES EVENT_RETRIES
#define BLACKBOARD_CROSSLAYER_CONF_PARENT EVENT_PARENT

#undef NETSTACK_CONF_MAC /* the recipe's, where MAC=nullmac is built with Contiki-NG */
#define NETSTACK_CONF_MAC blackboard_mac_driver

#endif
