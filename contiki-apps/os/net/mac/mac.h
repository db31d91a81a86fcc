/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a MAC, and its reports about frames. */
#ifndef MAC_H_
#define MAC_H_

#include "contiki.h"

#define IEEE802154_DEFAULT_CHANNEL IEEE802154_CONF_DEFAULT_CHANNEL

/* The fate of a frame. */
enum {
  MAC_TX_OK,         /* sent, and acknowledged if that was asked */
  MAC_TX_COLLISION,  /* the channel was busy at every attempt */
  MAC_TX_NOACK,      /* sent, never acknowledged */
  MAC_TX_DEFERRED,
  MAC_TX_ERR,        /* the radio refused it */
  MAC_TX_ERR_FATAL,  /* no frame could be made of it */
  MAC_TX_QUEUE_FULL
};

/* Called once for each packet handed to send(), with one of the above and the
   number of transmissions. */
typedef void (*mac_callback_t)(void *ptr, int status, int transmissions);

struct mac_driver {
  char *name;
  void (*init)(void);
  void (*send)(mac_callback_t sent, void *ptr); /* what is in the packet buffer */
  void (*input)(void);                          /* from the radio driver */
  int (*on)(void);
  int (*off)(void);
  int (*max_payload)(void); /* bytes in a frame to the addressee set now */
};

static inline void
mac_call_sent_callback(mac_callback_t sent, void *ptr, int status, int transmissions)
{
  if(sent != NULL) {
    sent(ptr, status, transmissions);
  }
}

#endif
