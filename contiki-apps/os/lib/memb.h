/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of blocks of one size. */
#ifndef MEMB_H_
#define MEMB_H_

#include "sys/cc.h"

struct memb {
  unsigned short size; /* of a block, bytes */
  unsigned short num;
  bool *used;
  void *mem;
};

#define MEMB(name, structure, count)                                           \
  static bool CC_CONCAT(name, _memb_used)[count];                              \
  static structure CC_CONCAT(name, _memb_mem)[count];                          \
  static struct memb name = { sizeof(structure), count,                        \
                              CC_CONCAT(name, _memb_used),                     \
                              CC_CONCAT(name, _memb_mem) }

void memb_init(struct memb *m);

/* Returns a block with whatever it held before (NULL: all are in use). */
void *memb_alloc(struct memb *m);

/* 0, or -1 if that is no block of the pool's in use. */
int memb_free(struct memb *m, void *block);

int memb_inmemb(struct memb *m, void *pointer);
size_t memb_numfree(struct memb *m);

#endif
