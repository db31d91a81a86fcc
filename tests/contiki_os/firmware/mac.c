/* SPDX-License-Identifier: Apache-2.0 */
/* Mote 1 sends what the serial line tells it: "b N" to all, "u N" to mote 2, N
   times at once; and says what became of each. All print what they hear. */
#include "contiki.h"
#include "dev/serial-line.h"
#include "net/netstack.h"
#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"

#include <stdio.h>
#include <string.h>

PROCESS(mac_process, "MAC");
AUTOSTART_PROCESSES(&mac_process);

static int handed;

static void
heard(const void *data, uint16_t len, const linkaddr_t *src, const linkaddr_t *dest)
{
  int number = 0;

  memcpy(&number, data, len < sizeof(number) ? len : sizeof(number));
  printf("heard %d from %u to %u rssi %d\n", number, src->u8[0], dest->u8[0],
         (int16_t)packetbuf_attr(PACKETBUF_ATTR_RSSI));
}

static void
sent(void *ptr, int status, int transmissions)
{
  printf("sent %d: status %d, %d transmissions\n", (int)(intptr_t)ptr, status, transmissions);
}

static void
send(bool to_all, int size)
{
  linkaddr_t two = { { 2 } };
  uint8_t payload[128] = { 0 };

  handed++;
  memcpy(payload, &handed, sizeof(handed));
  packetbuf_copyfrom(payload, (uint16_t)size);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, to_all ? &linkaddr_null : &two);
  printf("send %d\n", handed);
  NETSTACK_MAC.send(sent, (void *)(intptr_t)handed);
}

PROCESS_THREAD(mac_process, ev, data)
{
  PROCESS_BEGIN();
  nullnet_set_input_callback(heard);
  printf("%s, payload %d\n", NETSTACK_MAC.name, NETSTACK_MAC.max_payload());
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message);
    const char *order = data;
    for(int i = 0; i < order[2] - '0'; i++) {
      send(order[0] == 'b', order[3] == 'x' ? 128 : order[3] == 'l' ? 100 : 8);
    }
  }
  PROCESS_END();
}
