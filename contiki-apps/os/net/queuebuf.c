/* SPDX-License-Identifier: Apache-2.0 */
#include "net/queuebuf.h"

#include "lib/memb.h"

struct queuebuf {
  struct packetbuf_attr attributes[PACKETBUF_NUM_ATTRS];
  struct packetbuf_addr addresses[PACKETBUF_NUM_ADDRS];
  uint16_t length;
  uint8_t data[PACKETBUF_SIZE];
};

MEMB(buffers, struct queuebuf, QUEUEBUF_NUM);

void
queuebuf_init(void)
{
  memb_init(&buffers);
}

void
queuebuf_update_attr_from_packetbuf(struct queuebuf *b)
{
  packetbuf_attr_copyto(b->attributes, b->addresses);
}

void
queuebuf_update_from_packetbuf(struct queuebuf *b)
{
  queuebuf_update_attr_from_packetbuf(b);
  b->length = (uint16_t)packetbuf_copyto(b->data);
}

struct queuebuf *
queuebuf_new_from_packetbuf(void)
{
  struct queuebuf *b = memb_alloc(&buffers);

  if(b != NULL) {
    queuebuf_update_from_packetbuf(b);
  }
  return b;
}

void
queuebuf_to_packetbuf(struct queuebuf *b)
{
  packetbuf_copyfrom(b->data, b->length);
  packetbuf_attr_copyfrom(b->attributes, b->addresses);
}

void
queuebuf_free(struct queuebuf *b)
{
  memb_free(&buffers, b);
}

void *
queuebuf_dataptr(struct queuebuf *b)
{
  return b->data;
}

int
queuebuf_datalen(struct queuebuf *b)
{
  return b->length;
}

linkaddr_t *
queuebuf_addr(struct queuebuf *b, uint8_t type)
{
  return &b->addresses[type - PACKETBUF_ADDR_FIRST].addr;
}

packetbuf_attr_t
queuebuf_attr(struct queuebuf *b, uint8_t type)
{
  return b->attributes[type].val;
}

size_t
queuebuf_numfree(void)
{
  return memb_numfree(&buffers);
}
