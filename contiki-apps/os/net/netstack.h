/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of this firmware, chosen when it is built. */
#ifndef NETSTACK_H_
#define NETSTACK_H_

#include "contiki.h"
#include "dev/radio.h"
#include "net/linkaddr.h"
#include "net/mac/framer/framer.h"
#include "net/mac/mac.h"

#ifdef NETSTACK_CONF_NETWORK
#define NETSTACK_NETWORK NETSTACK_CONF_NETWORK
#else
#define NETSTACK_NETWORK nullnet_driver
#endif

/* make MAC=csma, MAC=nullmac or MAC=radio-csma */
#ifdef NETSTACK_CONF_MAC
#define NETSTACK_MAC NETSTACK_CONF_MAC
#elif MAC_CONF_WITH_NULLMAC
#define NETSTACK_MAC nullmac_driver
#elif MAC_CONF_WITH_RADIO_CSMA
#define NETSTACK_MAC radio_csma_driver
#else
#define NETSTACK_MAC csma_driver
#endif

#define NETSTACK_RADIO NETSTACK_CONF_RADIO

#ifdef NETSTACK_CONF_FRAMER
#define NETSTACK_FRAMER NETSTACK_CONF_FRAMER
#else
#define NETSTACK_FRAMER framer_802154
#endif

struct network_driver {
  char *name;
  void (*init)(void);
  void (*input)(void);
  uint8_t (*output)(const linkaddr_t *destination); /* NULL: all */
};

extern const struct network_driver NETSTACK_NETWORK;
extern const struct mac_driver NETSTACK_MAC;
extern const struct radio_driver NETSTACK_RADIO;
extern const struct framer NETSTACK_FRAMER;

void netstack_init(void);

#endif
