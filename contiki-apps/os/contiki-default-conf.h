/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults, which count where neither the application nor the platform says
   otherwise. Their values are Contiki-NG's. */
#ifndef CONTIKI_DEFAULT_CONF_H_
#define CONTIKI_DEFAULT_CONF_H_

#ifndef IEEE802154_CONF_PANID
#define IEEE802154_CONF_PANID 0xabcd
#endif

#ifndef IEEE802154_CONF_DEFAULT_CHANNEL
#define IEEE802154_CONF_DEFAULT_CHANNEL 26
#endif

#ifndef QUEUEBUF_CONF_NUM
#define QUEUEBUF_CONF_NUM 8
#endif

#endif
