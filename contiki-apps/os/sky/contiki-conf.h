/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the platform: a Tmote Sky, with an MSP430F1611 and a CC2420. */
#ifndef CONTIKI_CONF_H_
#define CONTIKI_CONF_H_

#ifdef PROJECT_CONF_PATH
#include PROJECT_CONF_PATH
#endif

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No variable is read so often that its place matters. */
#define PLATFORM_HOT

/* The clock and the rtimer count periods of the 32,768 Hz crystal, by Timer A. */
#define CLOCK_CONF_SECOND 128L
#define CLOCK_CONF_TIME_T uint32_t
#define CLOCK_CONF_SIZE 4
#define RTIMER_CONF_CLOCK_SIZE 4
#define RTIMER_CONF_SECOND 32768

#ifndef ENERGEST_CONF_ON
#define ENERGEST_CONF_ON 1
#endif

/* The board has none; what differs between motes lies in the program memory (sky/eeprom.c). */
#ifndef EEPROM_CONF_SIZE
#define EEPROM_CONF_SIZE 1024
#endif

#define NETSTACK_CONF_RADIO cc2420_driver

/* The CC2420 acknowledges by itself, 192 us after a frame. An ACK is on the air for 352 us. */
#ifndef CSMA_CONF_SEND_SOFT_ACK
#define CSMA_CONF_SEND_SOFT_ACK 0
#endif
#ifndef CSMA_CONF_ACK_WAIT_TIME
#define CSMA_CONF_ACK_WAIT_TIME (RTIMER_SECOND / 1000)
#endif
#ifndef CSMA_CONF_AFTER_ACK_DETECTED_WAIT_TIME
#define CSMA_CONF_AFTER_ACK_DETECTED_WAIT_TIME (RTIMER_SECOND / 1500)
#endif

/* IEEE 802.15.4 at 2.4 GHz: 250 kbit/s; a length byte and two of FCS. */
#define RADIO_PHY_OVERHEAD 3
#define RADIO_BYTE_AIR_TIME 32 /* us */

#define LEDS_CONF_COUNT 3
#define LEDS_CONF_RED 1
#define LEDS_CONF_GREEN 2
#define LEDS_CONF_YELLOW 4 /* blue on the board */

#define PLATFORM_HAS_EEPROM 1 /* of a kind */
#define PLATFORM_HAS_LEDS 1

#endif
