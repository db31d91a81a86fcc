/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the MAC and of the routing layer on the blackboard, for whoever can
 * use them. project-conf.h says which, each an unsigned or signed event as below,
 * and puts a MAC driver in front of the one that is built:
 *
 *   #define BLACKBOARD_CONF_EVENTS(X) \
 *     X(RSSI, SIGNED, 1, 6) X(QUEUE, UNSIGNED, 1, 6)
 *   #define BLACKBOARD_CROSSLAYER_CONF_RSSI EVENT_RSSI
 *   #define BLACKBOARD_CROSSLAYER_CONF_QUEUE EVENT_QUEUE
 *   #undef NETSTACK_CONF_MAC
 *   #define NETSTACK_CONF_MAC blackboard_mac_driver
 *
 * RSSI     signed, dBm: of each frame that the radio gave to the MAC, whomever it
 *          was for (packet buffer's PACKETBUF_ATTR_RSSI). ACKs that the MAC itself
 *          waits for don't come that way.
 * QUEUE    frames that were given to the MAC and that it is not done with: waiting
 *          for their back-off, or for an ACK. When it changes.
 * RETRIES  transmissions after the first of the frame that the MAC has just done
 *          with (0 for one that it never sent).
 * PARENT   mote id of the next hop that the routing layer last handed an event to,
 *          from configured routes or diffusion. When it changes.
 *
 * A firmware whose project-conf.h doesn't ask for this contains none of it. A value that
 * changes several times at one time is published once, as it was last. While nobody wants an
 * event, its value is only kept for blackboard_read().
 */
#ifndef BLACKBOARD_CROSSLAYER_H_
#define BLACKBOARD_CROSSLAYER_H_

#include "blackboard.h"

/* When the module is built on its own (`make sizes`), with the board's default events, it has
   all of them. */
#if !defined(BLACKBOARD_CROSSLAYER_CONF_RSSI) && !defined(BLACKBOARD_CROSSLAYER_CONF_QUEUE) \
  && !defined(BLACKBOARD_CROSSLAYER_CONF_RETRIES) && !defined(BLACKBOARD_CROSSLAYER_CONF_PARENT)
#define BLACKBOARD_CROSSLAYER_CONF_RSSI EVENT_0
#define BLACKBOARD_CROSSLAYER_CONF_QUEUE EVENT_0
#define BLACKBOARD_CROSSLAYER_CONF_RETRIES EVENT_0
#define BLACKBOARD_CROSSLAYER_CONF_PARENT EVENT_0
#endif

/*
 * From now on the values are published. Call it after blackboard_start(), and after
 * pubsub_observer was set, to which it passes everything on.
 */
void blackboard_crosslayer_start(void);

#endif
