/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/memb.h"

#include <string.h>

void
memb_init(struct memb *m)
{
  memset(m->used, 0, m->num * sizeof(*m->used));
  memset(m->mem, 0, (size_t)m->size * m->num);
}

void *
memb_alloc(struct memb *m)
{
  for(size_t i = 0; i < m->num; i++) {
    if(!m->used[i]) {
      m->used[i] = true;
      return (char *)m->mem + i * m->size;
    }
  }
  return NULL;
}

int
memb_inmemb(struct memb *m, void *pointer)
{
  /* Numbers are unsigned, so an address before the pool is seen as one far past
     it. */
  return (uintptr_t)pointer - (uintptr_t)m->mem < (size_t)m->size * m->num;
}

int
memb_free(struct memb *m, void *block)
{
  if(!memb_inmemb(m, block)) {
    return -1;
  }
  size_t offset = (size_t)((char *)block - (char *)m->mem);
  if(offset % m->size != 0 || !m->used[offset / m->size]) {
    return -1;
  }
  m->used[offset / m->size] = false;
  return 0;
}

size_t
memb_numfree(struct memb *m)
{
  size_t unused = 0;

  for(size_t i = 0; i < m->num; i++) {
    unused += !m->used[i];
  }
  return unused;
}
