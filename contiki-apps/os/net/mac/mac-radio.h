/* SPDX-License-Identifier: Apache-2.0 */
/* The functions on and off and the room in a frame, for MACs that leave both to the radio driver. (nullmac has its
   own, because on a Contiki-NG tree it is compiled alone.) */
#ifndef MAC_RADIO_H_
#define MAC_RADIO_H_

int mac_radio_on(void);
int mac_radio_off(void);
int mac_radio_max_payload(void);

#endif
