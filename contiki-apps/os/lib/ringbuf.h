/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of bytes; one place always stays free. */
#ifndef RINGBUF_H_
#define RINGBUF_H_

#include "contiki.h"

struct ringbuf {
  uint8_t *data;
  uint8_t mask;
  uint8_t put_ptr, get_ptr;
};

/* The size is a power of 2, at most 128. */
void ringbuf_init(struct ringbuf *r, uint8_t *data, uint8_t size);

/* 0 if it is full. */
int ringbuf_put(struct ringbuf *r, uint8_t c);

/* -1 if it is empty. */
int ringbuf_get(struct ringbuf *r);

int ringbuf_size(struct ringbuf *r);
int ringbuf_elements(struct ringbuf *r);

#endif
