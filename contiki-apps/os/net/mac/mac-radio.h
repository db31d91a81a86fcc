/* SPDX-License-Identifier: Apache-2.0 */
/* What a MAC that leaves it to the radio driver says of switching and of a frame's room. (nullmac has its own: it is
   compiled alone on a Contiki-NG tree.) */
#ifndef MAC_RADIO_H_
#define MAC_RADIO_H_

int mac_radio_on(void);
int mac_radio_off(void);
int mac_radio_max_payload(void);

#endif
