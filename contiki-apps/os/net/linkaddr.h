/* SPDX-License-Identifier: Apache-2.0 */
/* Link-layer addresses. In Cooja a mote's address is its id in two bytes, the
   lower first, followed by six zero bytes. */
#ifndef LINKADDR_H_
#define LINKADDR_H_

#include <string.h>

#include "contiki-conf.h"

#ifdef LINKADDR_CONF_SIZE
#define LINKADDR_SIZE LINKADDR_CONF_SIZE
#else
#define LINKADDR_SIZE 8
#endif

typedef union {
  unsigned char u8[LINKADDR_SIZE];
  uint16_t u16[LINKADDR_SIZE / 2];
} linkaddr_t;

extern linkaddr_t linkaddr_node_addr;  /* this mote's */
extern const linkaddr_t linkaddr_null; /* nobody; as a receiver: all */

static inline void
linkaddr_copy(linkaddr_t *to, const linkaddr_t *from)
{
  memmove(to->u8, from->u8, LINKADDR_SIZE);
}

/* Returns true if they are the same. */
static inline bool
linkaddr_cmp(const linkaddr_t *a, const linkaddr_t *b)
{
  return memcmp(a->u8, b->u8, LINKADDR_SIZE) == 0;
}

static inline void
linkaddr_set_node_addr(linkaddr_t *address)
{
  linkaddr_copy(&linkaddr_node_addr, address);
}

#endif
