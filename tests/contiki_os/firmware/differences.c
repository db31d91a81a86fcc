/* SPDX-License-Identifier: Apache-2.0 */
/* What the embedded Contiki does otherwise than Contiki-NG, on purpose (contiki-apps/os/README.md); the log's times are
   part of the test. */
#include "contiki.h"
#include "lib/random.h"
#include "net/mac/framer/frame802154.h"
#include "net/netstack.h"
#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"
#include "sys/node-id.h"

#include <stdio.h>

#define SAME_TIME 5

static struct etimer timers[SAME_TIME], moved;
static struct ctimer call;
static process_event_t hop;

PROCESS(differences_process, "Differences");
PROCESS(ends_process, "Ends itself");
PROCESS(other_process, "Other");
AUTOSTART_PROCESSES(&differences_process);

static void
on_call(void *ptr)
{
  printf("called at %lu\n", (unsigned long)clock_time());
}

/* Ends itself and goes on until it returns. */
PROCESS_THREAD(ends_process, ev, data)
{
  PROCESS_BEGIN();
  process_exit(&ends_process);
  printf("still here, running %d\n", process_is_running(&ends_process));
  PROCESS_YIELD();
  printf("FAIL: called after its end\n");
  PROCESS_END();
}

PROCESS_THREAD(other_process, ev, data)
{
  static int hops;

  PROCESS_BEGIN();
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == hop);
    if(++hops < 100) {
      process_post(&other_process, hop, NULL);
    } else {
      printf("hops %d\n", hops);
    }
  }
  PROCESS_END();
}

/* IEEE 802.15.4-2015, table 7-2, row 2: no addresses, and the receiver's PAN id. */
static void
show_frame_without_addresses(void)
{
  frame802154_t made = { .fcf = { .frame_type = FRAME802154_DATAFRAME, .frame_version = FRAME802154_IEEE802154_2015,
                                  .panid_compression = 1 }, .seq = 7, .dest_pid = 0x1234 }, read;
  uint8_t bytes[16] = { 0 };
  int length = frame802154_create(&made, bytes);

  printf("without addresses %d bytes, read %d", length, frame802154_parse(bytes, length + 2, &read));
  printf(", PAN %04x\n", read.dest_pid);
}

static void
heard(const void *data, uint16_t length, const linkaddr_t *from, const linkaddr_t *to)
{
  printf("heard type %u of %u\n", packetbuf_attr(PACKETBUF_ATTR_FRAME_TYPE), length);
}

static void
sent(void *ptr, int status, int transmissions)
{
  printf("sent: status %d, %d transmissions\n", status, transmissions);
}

PROCESS_THREAD(differences_process, ev, data)
{
  static int i;

  PROCESS_BEGIN();
  nullnet_set_input_callback(heard);
  printf("random");
  for(i = 0; i < 4; i++) {
    printf(" %u", random_rand());
  }
  printf("\n");
  hop = process_alloc_event();

  for(i = 0; i < SAME_TIME; i++) { /* two of them are set again, so that they come last */
    etimer_set(&timers[i], 20);
  }
  etimer_set(&timers[1], 20);
  etimer_restart(&timers[3]);
  for(i = 0; i < SAME_TIME; i++) {
    PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
    printf("timer %d at %lu\n", (int)((struct etimer *)data - timers), (unsigned long)clock_time());
  }
  etimer_set(&timers[0], 9); /* they are late, in the order in which they expire, not in which they were set */
  etimer_set(&timers[1], 5);
  etimer_set(&timers[2], 7);
  RTIMER_BUSYWAIT(20 * (RTIMER_SECOND / 1000));
  for(i = 0; i < 3; i++) {
    PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
    printf("late timer %d\n", (int)((struct etimer *)data - timers));
  }

  ctimer_set(&call, 10, on_call, NULL);
  etimer_set(&timers[0], 9);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  RTIMER_BUSYWAIT(RTIMER_SECOND / 1000);
  PROCESS_PAUSE(); /* it expires; its event waits behind this one, and the timer is set again */
  printf("set again at %lu, expired %d\n", (unsigned long)clock_time(), ctimer_expired(&call));
  ctimer_set(&call, 30, on_call, NULL);
  etimer_set(&timers[0], 50);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));

  etimer_set(&moved, 10);
  etimer_adjust(&moved, 15); /* it starts in 15 ms */
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&moved));
  printf("moved, came at %lu\n", (unsigned long)clock_time());

  process_start(&ends_process, NULL);
  process_post(&ends_process, hop, NULL);
  process_poll(&ends_process);
  PROCESS_PAUSE();
  printf("running %d\n", process_is_running(&ends_process));
  process_start(&other_process, NULL);
  process_post(&other_process, hop, NULL);
  show_frame_without_addresses();

  etimer_set(&timers[0], 800 - clock_time());
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  if(node_id == 1) {
    linkaddr_t two = { { 2 } };
    packetbuf_copyfrom("x", 1);
    packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, &two);
    packetbuf_set_attr(PACKETBUF_ATTR_MAX_MAC_TRANSMISSIONS, 1);
    NETSTACK_MAC.send(sent, NULL);
  }
  PROCESS_END();
}
