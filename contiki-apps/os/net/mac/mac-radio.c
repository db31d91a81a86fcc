/* SPDX-License-Identifier: Apache-2.0 */
#include "net/mac/mac-radio.h"

#include "net/netstack.h"
#include "net/packetbuf.h"

#define LONGEST_HEADER 21 /* bytes: where the framer makes none, because the PAN has no id; as Contiki-NG's CSMA */

int
mac_radio_on(void)
{
  return NETSTACK_RADIO.on();
}

int
mac_radio_off(void)
{
  return NETSTACK_RADIO.off();
}

int
mac_radio_max_payload(void)
{
  radio_value_t frame;
  int header = NETSTACK_FRAMER.length();

  if(NETSTACK_RADIO.get_value(RADIO_CONST_MAX_PAYLOAD_LEN, &frame) != RADIO_RESULT_OK) {
    return 0;
  }
  return MIN(frame, PACKETBUF_SIZE) - (header >= 0 ? header : LONGEST_HEADER);
}
