/* SPDX-License-Identifier: Apache-2.0 */
#include "net/netstack.h"

void
netstack_init(void)
{
  NETSTACK_RADIO.init();
  NETSTACK_MAC.init();
  NETSTACK_NETWORK.init();
}
