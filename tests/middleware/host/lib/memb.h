/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMB_H_
#define MEMB_H_

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct memb {
  unsigned short size, num;
  bool *used;
  char *mem;
};

#define MEMB(name, structure, count) \
  static bool name##_used[count]; \
  static structure name##_mem[count]; \
  static struct memb name = { \
    sizeof(structure), count, name##_used, (char *)name##_mem }

static inline void
memb_init(struct memb *m)
{
  memset(m->used, 0, m->num * sizeof(bool));
}

static inline void *
memb_alloc(struct memb *m)
{
  for(unsigned i = 0; i < m->num; i++) {
    if(!m->used[i]) {
      m->used[i] = true;
      return m->mem + i * m->size;
    }
  }
  return NULL;
}

static inline int
memb_free(struct memb *m, void *item)
{
  m->used[((char *)item - m->mem) / m->size] = false;
  return 0;
}

#endif
