/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends UDP datagrams with a number in them to the root, from the root and between motes, and logs each one that is
 * sent and each one that is received, so that the log says what was delivered. It is built on a Contiki-NG tree.
 */
#include "contiki.h"
#include "net/ipv6/simple-udp.h"
#include "net/ipv6/uip-ds6.h"
#include "net/netstack.h"
#include "net/routing/routing.h"
#include "random.h"
#include "sys/node-id.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef MOTES
#define MOTES 25
#endif
#ifndef INTERVAL_S
#define INTERVAL_S 10
#endif

enum { ROOT = 1, PORT = 4747, LONGEST = 240 };
static const uint16_t LENGTHS[] = {8, 40, LONGEST}; /* the last one is sent in fragments */

static struct simple_udp_connection connection;
static uint32_t number;
static uint8_t payload[LONGEST];

PROCESS(truth_process, "Ground truth");
AUTOSTART_PROCESSES(&truth_process);

static void
received(struct simple_udp_connection *c, const uip_ipaddr_t *from, uint16_t from_port, const uip_ipaddr_t *to,
         uint16_t to_port, const uint8_t *data, uint16_t length)
{
  uint32_t header[2]; /* origin, number */

  if(length >= sizeof(header)) {
    memcpy(header, data, sizeof(header));
    printf("received %lu from %lu, %u bytes\n", (unsigned long)header[1], (unsigned long)header[0], length);
  }
}

/* The address of another mote: the root's prefix, and an interface identifier from the mote's id as Cooja gives it. */
static void
address_of(uint16_t id, uip_ipaddr_t *address)
{
  NETSTACK_ROUTING.get_root_ipaddr(address);
  for(int i = 0; i < 4; i++) {
    address->u8[8 + 2 * i] = i == 0 ? 2 : 0;
    address->u8[9 + 2 * i] = (uint8_t)id;
  }
  address->u8[8] |= id >> 8;
  address->u8[10] = address->u8[12] = address->u8[14] = (uint8_t)(id >> 8);
}

static void
send_to(uint16_t id)
{
  uip_ipaddr_t address;
  uint32_t header[2] = {node_id, number};
  uint16_t length = LENGTHS[random_rand() % (sizeof(LENGTHS) / sizeof(LENGTHS[0]))];

  address_of(id, &address);
  memcpy(payload, header, sizeof(header));
  for(unsigned i = sizeof(header); i < length; i++) {
    payload[i] = (uint8_t)(i + number);
  }
  printf("sent %lu to %u, %u bytes\n", (unsigned long)number, id, length);
  number++;
  simple_udp_sendto(&connection, payload, length, &address);
}

PROCESS_THREAD(truth_process, ev, data)
{
  static struct etimer timer;
  uip_ipaddr_t root;
  uint16_t to;

  PROCESS_BEGIN();
  simple_udp_register(&connection, PORT, NULL, PORT, received);
  if(node_id == ROOT) {
    NETSTACK_ROUTING.root_start();
  }
  etimer_set(&timer, CLOCK_SECOND + random_rand() % (INTERVAL_S * CLOCK_SECOND));
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
    etimer_set(&timer, INTERVAL_S * CLOCK_SECOND / 2 + random_rand() % (INTERVAL_S * CLOCK_SECOND));
    if(NETSTACK_ROUTING.node_is_reachable() && NETSTACK_ROUTING.get_root_ipaddr(&root)) {
      do {
        to = node_id != ROOT && random_rand() % 2 ? ROOT : 1 + random_rand() % MOTES;
      } while(to == node_id);
      send_to(to);
    }
  }
  PROCESS_END();
}
