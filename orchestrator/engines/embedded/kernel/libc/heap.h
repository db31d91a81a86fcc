/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that firmware allocates before its first tick. Cooja loads a type's firmware once: what its constructors and
 * cooja_init() allocate, all motes of the type share. Here they run for every mote.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

void *heap_allocate(size_t size);
void *heap_allocate_zeroed(size_t count, size_t size);
void *heap_new(size_t size); /* C++ */
char *heap_copy(const char *text);

/* One was allocated otherwise, or is given back. */
void heap_allocated(void);
void heap_gave_back(const void *memory);

/* From heap_watch() on: how many blocks were allocated and not given back. */
void heap_watch(void);
int heap_blocks(void);

#endif
