/* SPDX-License-Identifier: Apache-2.0 */
#include "net/packetbuf.h"

#include <string.h>

static uint8_t buffer[PACKETBUF_SIZE] __attribute__((aligned(8)));
static uint16_t header_length, data_length; /* the data follows the header */
static uint16_t taken_length; /* of the header: what packetbuf_hdrreduce() took off the data, right before it */
static struct packetbuf_attr attribute[PACKETBUF_NUM_ATTRS];
static struct packetbuf_addr address[PACKETBUF_NUM_ADDRS];

void
packetbuf_clear(void)
{
  header_length = data_length = taken_length = 0;
  packetbuf_attr_clear();
}

int
packetbuf_copyfrom(const void *from, uint16_t length)
{
  packetbuf_clear();
  data_length = MIN(length, PACKETBUF_SIZE);
  if(data_length > 0) {
    memcpy(buffer, from, data_length);
  }
  return data_length;
}

int
packetbuf_copyto(void *to)
{
  uint16_t made = (uint16_t)(header_length - taken_length);

  memcpy(to, buffer, made);
  memcpy((uint8_t *)to + made, packetbuf_dataptr(), data_length);
  return made + data_length;
}

void *
packetbuf_hdrptr(void)
{
  return buffer;
}

uint8_t
packetbuf_hdrlen(void)
{
  return (uint8_t)header_length;
}

void *
packetbuf_dataptr(void)
{
  return buffer + header_length;
}

uint16_t
packetbuf_datalen(void)
{
  return data_length;
}

void
packetbuf_set_datalen(uint16_t length)
{
  data_length = MIN(length, PACKETBUF_SIZE - header_length);
}

uint16_t
packetbuf_totlen(void)
{
  return (uint16_t)(header_length + data_length);
}

uint16_t
packetbuf_remaininglen(void)
{
  return (uint16_t)(PACKETBUF_SIZE - packetbuf_totlen());
}

int
packetbuf_hdralloc(int size)
{
  if(size < 0 || size > packetbuf_remaininglen()) {
    return 0;
  }
  memmove(buffer + size, buffer, packetbuf_totlen());
  header_length = (uint16_t)(header_length + size);
  return 1;
}

int
packetbuf_hdrreduce(int size)
{
  if(size < 0 || size > data_length) {
    return 0;
  }
  header_length = (uint16_t)(header_length + size);
  taken_length = (uint16_t)(taken_length + size);
  data_length = (uint16_t)(data_length - size);
  return 1;
}

void
packetbuf_attr_clear(void)
{
  memset(attribute, 0, sizeof(attribute));
  memset(address, 0, sizeof(address));
}

void
packetbuf_attr_copyto(struct packetbuf_attr *attributes,
                      struct packetbuf_addr *addresses)
{
  memcpy(attributes, attribute, sizeof(attribute));
  memcpy(addresses, address, sizeof(address));
}

void
packetbuf_attr_copyfrom(struct packetbuf_attr *attributes,
                        struct packetbuf_addr *addresses)
{
  memcpy(attribute, attributes, sizeof(attribute));
  memcpy(address, addresses, sizeof(address));
}

void
packetbuf_set_attr(uint8_t type, packetbuf_attr_t value)
{
  attribute[type].val = value;
}

packetbuf_attr_t
packetbuf_attr(uint8_t type)
{
  return attribute[type].val;
}

void
packetbuf_set_addr(uint8_t type, const linkaddr_t *to)
{
  linkaddr_copy(&address[type - PACKETBUF_ADDR_FIRST].addr, to);
}

const linkaddr_t *
packetbuf_addr(uint8_t type)
{
  return &address[type - PACKETBUF_ADDR_FIRST].addr;
}

bool
packetbuf_holds_broadcast(void)
{
  return linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_RECEIVER), &linkaddr_null);
}
