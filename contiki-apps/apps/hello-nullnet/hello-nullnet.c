/* SPDX-License-Identifier: Apache-2.0 */
/* Every mote counts aloud to all others, and prints what it hears. */
#include "contiki.h"
#include "net/netstack.h"
#include "net/nullnet/nullnet.h"
#include "identity.h"

#include <stdio.h>
#include <string.h>

#ifndef PERIOD_S
#define PERIOD_S 8
#endif
#define PERIOD (PERIOD_S * CLOCK_SECOND)

static uint32_t count;

PROCESS(hello_process, "Hello NullNet");
AUTOSTART_PROCESSES(&identity_process, &hello_process);

static void
input_callback(const void *data, uint16_t len, const linkaddr_t *src, const linkaddr_t *dest)
{
  uint32_t heard;

  if(len == sizeof(heard)) {
    memcpy(&heard, data, sizeof(heard));
    printf("heard %lu from %u\n", (unsigned long)heard, src->u8[0] | src->u8[1] << 8);
  }
}

PROCESS_THREAD(hello_process, ev, data)
{
  static struct etimer timer;

  PROCESS_BEGIN();
  nullnet_buf = (uint8_t *)&count;
  nullnet_len = sizeof(count);
  nullnet_set_input_callback(input_callback);
  printf("hello\n");
  etimer_set(&timer, PERIOD);
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
    count++;
    printf("say %lu\n", (unsigned long)count);
    NETSTACK_NETWORK.output(NULL);
    etimer_reset(&timer);
  }
  PROCESS_END();
}
