/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ringbuf.h"

void
ringbuf_init(struct ringbuf *r, uint8_t *data, uint8_t size)
{
  r->data = data;
  r->mask = (uint8_t)(size - 1);
  r->put_ptr = r->get_ptr = 0;
}

int
ringbuf_elements(struct ringbuf *r)
{
  return (r->put_ptr - r->get_ptr) & r->mask;
}

int
ringbuf_size(struct ringbuf *r)
{
  return r->mask + 1;
}

int
ringbuf_put(struct ringbuf *r, uint8_t c)
{
  if(ringbuf_elements(r) == r->mask) {
    return 0;
  }
  r->data[r->put_ptr] = c;
  r->put_ptr = (uint8_t)((r->put_ptr + 1) & r->mask);
  return 1;
}

int
ringbuf_get(struct ringbuf *r)
{
  if(ringbuf_elements(r) == 0) {
    return -1;
  }
  uint8_t c = r->data[r->get_ptr];
  r->get_ptr = (uint8_t)((r->get_ptr + 1) & r->mask);
  return c;
}
