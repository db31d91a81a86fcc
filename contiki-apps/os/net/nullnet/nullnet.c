/* SPDX-License-Identifier: Apache-2.0 */
#include "net/nullnet/nullnet.h"

#include "net/netstack.h"
#include "net/packetbuf.h"

#define LOG_MODULE "NullNet"
#define LOG_LEVEL LOG_LEVEL_NULLNET
#include "sys/log.h"

uint8_t *nullnet_buf;
uint16_t nullnet_len;

static nullnet_input_callback input_callback;

void
nullnet_set_input_callback(nullnet_input_callback callback)
{
  input_callback = callback;
}

static void
init(void)
{
  input_callback = NULL;
}

static void
input(void)
{
  LOG_INFO("received %u bytes from ", packetbuf_datalen());
  LOG_INFO_LLADDR(packetbuf_addr(PACKETBUF_ADDR_SENDER));
  LOG_INFO_("\n");
  if(input_callback != NULL) {
    input_callback(packetbuf_dataptr(), packetbuf_datalen(),
                   packetbuf_addr(PACKETBUF_ADDR_SENDER),
                   packetbuf_addr(PACKETBUF_ADDR_RECEIVER));
  }
}

static uint8_t
output(const linkaddr_t *destination)
{
  packetbuf_copyfrom(nullnet_buf, nullnet_len);
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER,
                     destination != NULL ? destination : &linkaddr_null);
  packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &linkaddr_node_addr);
  LOG_INFO("sending %u bytes to ", packetbuf_datalen());
  LOG_INFO_LLADDR(packetbuf_addr(PACKETBUF_ADDR_RECEIVER));
  LOG_INFO_("\n");
  NETSTACK_MAC.send(NULL, NULL);
  return 1;
}

const struct network_driver nullnet_driver = { "nullnet", init, input, output };
