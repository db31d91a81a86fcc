/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the platform: a mote in Cooja or in the embedded engine. */
#ifndef CONTIKI_CONF_H_
#define CONTIKI_CONF_H_

/* The application's project-conf.h comes first: it may set any *_CONF_*. */
#ifdef PROJECT_CONF_PATH
#include PROJECT_CONF_PATH
#endif

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COOJA 1

/* Marks the variables that every tick reads. They lie together in .data, even if they begin as 0, so that a tick in
   which a mote has nothing to do touches few cache lines. */
#define PLATFORM_HOT __attribute__((section(".data.hot")))

/* Ticks a second. Cooja's own clock is simCurrentTime, ms, the same instants at all motes; any other (`make CLOCK=128`,
   as on Contiki's AVR boards, or with PHASE=drawn) is computed from simRtimerCurrentTicks, us. Both have 64 bits. */
#ifndef CLOCK_CONF_SECOND
#define CLOCK_CONF_SECOND 1000L
#endif
#ifndef CLOCK_CONF_DRAWN_PHASE
#define CLOCK_CONF_DRAWN_PHASE 0
#endif
#define CLOCK_IS_COOJAS (CLOCK_CONF_SECOND == 1000 && !CLOCK_CONF_DRAWN_PHASE)
#define CLOCK_CONF_SIZE 8
#define RTIMER_CONF_CLOCK_SIZE 8

/* The radio states' times are part of what a run reports. */
#ifndef ENERGEST_CONF_ON
#define ENERGEST_CONF_ON 1
#endif

/* Cooja's EEPROM interface has this many bytes. */
#ifndef EEPROM_CONF_SIZE
#define EEPROM_CONF_SIZE 1024
#endif

#define NETSTACK_CONF_RADIO cooja_radio_driver

/* The link-driver hook by which a network layer tells which frames only pass by (net/link-filter.h). Contiki-NG's
   drivers have none, and a microcontroller, for which code is only compiled to know its size, has another radio. */
#if UINTPTR_MAX > UINT32_MAX
#define NETSTACK_CONF_LINK_FILTER link_filter_set
#endif

/* Cooja's radio doesn't acknowledge: the MAC does. The waiting time covers the receiver's turnaround of 1 ms. It is the
   one that Contiki-NG has for this platform. */
#ifndef CSMA_CONF_SEND_SOFT_ACK
#define CSMA_CONF_SEND_SOFT_ACK 1
#endif
#ifndef CSMA_CONF_ACK_WAIT_TIME
#define CSMA_CONF_ACK_WAIT_TIME (RTIMER_SECOND / 500)
#endif
#ifndef CSMA_CONF_AFTER_ACK_DETECTED_WAIT_TIME
#define CSMA_CONF_AFTER_ACK_DETECTED_WAIT_TIME 0
#endif

/* IEEE 802.15.4 at 2.4 GHz: 250 kbit/s; a length byte and two of FCS. */
#define RADIO_PHY_OVERHEAD 3
#define RADIO_BYTE_AIR_TIME 32 /* us */

/* Cooja's LED interface: one bit a colour. */
#define LEDS_CONF_COUNT 3
#define LEDS_CONF_GREEN 1
#define LEDS_CONF_RED 2
#define LEDS_CONF_YELLOW 4

/* A virtual button doesn't bounce. */
#define BUTTON_HAL_CONF_DEBOUNCE_DURATION 0

#define PLATFORM_HAS_BUTTON 1
#define PLATFORM_SUPPORTS_BUTTON_HAL 1
#define PLATFORM_HAS_LEDS 1

#endif
