/* SPDX-License-Identifier: Apache-2.0 */
#include "net/linkaddr.h"

#include <string.h>

linkaddr_t linkaddr_node_addr;
const linkaddr_t linkaddr_null;

void
linkaddr_copy(linkaddr_t *to, const linkaddr_t *from)
{
  memmove(to->u8, from->u8, LINKADDR_SIZE);
}

bool
linkaddr_cmp(const linkaddr_t *a, const linkaddr_t *b)
{
  return memcmp(a->u8, b->u8, LINKADDR_SIZE) == 0;
}

void
linkaddr_set_node_addr(linkaddr_t *address)
{
  linkaddr_copy(&linkaddr_node_addr, address);
}
