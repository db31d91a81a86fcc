/* SPDX-License-Identifier: Apache-2.0 */
/* A mote sends what the serial line tells it: "b N" to all, "u N" to mote 2, N
   times at once; and says what became of each. It waits, without giving up the
   processor, at "w N", N times 10 ms; and prints what the radio counted at "c".
   All print what they hear. */
#include "contiki.h"
#include "dev/serial-line.h"
#include "net/netstack.h"
#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"
#include "sys/energest.h"

#if MAC_CONF_WITH_RADIO_CSMA
#include "net/mac/radio-csma/radio-csma.h"
#endif

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

static void
print_counters(void)
{
#if MAC_CONF_WITH_RADIO_CSMA
  const struct radio_csma_counters *c = radio_csma_counters;

  printf("counted %lu assessments, %lu busy, %lu missed, %lu overflow, %lu no-ack, %lu us deaf\n",
         (unsigned long)c->assessments, (unsigned long)c->busy_assessments, (unsigned long)c->missed_contending,
         (unsigned long)c->buffer_overflow, (unsigned long)c->no_ack, (unsigned long)c->deaf_us);
  energest_flush();
  printf("energy: %lu us of sending\n", (unsigned long)energest_type_time(ENERGEST_TYPE_TRANSMIT));
#endif
}

PROCESS_THREAD(mac_process, ev, data)
{
  PROCESS_BEGIN();
  nullnet_set_input_callback(heard);
  printf("%s, payload %d\n", NETSTACK_MAC.name, NETSTACK_MAC.max_payload());
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message);
    const char *order = data;
    if(order[0] == 'c') {
      print_counters();
      continue;
    }
#if MAC_CONF_WITH_RADIO_CSMA /* Contiki-NG has no clock_wait() on Cooja */
    if(order[0] == 'w') {
      clock_wait((clock_time_t)(order[2] - '0') * (CLOCK_SECOND / 100));
      continue;
    }
#endif
    for(int i = 0; i < order[2] - '0'; i++) {
      send(order[0] == 'b', order[3] == 'x' ? 128 : order[3] == 'l' ? 100 : 8);
    }
  }
  PROCESS_END();
}
