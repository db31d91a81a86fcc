/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises memory that firmware allocates before its first tick. Cooja loads a type's firmware once, so all motes of the
 * type share what its constructors and cooja_init() allocate. Here these run for every mote.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

void *heap_allocate(size_t size);
void *heap_allocate_zeroed(size_t count, size_t size);
void *heap_new(size_t size); /* C++ */
char *heap_copy(const char *text);

/* A block was allocated by another function, or was freed. */
void heap_allocated(void);
void heap_gave_back(const void *memory);

/* How many blocks have been allocated since heap_watch() and not freed. */
void heap_watch(void);
int heap_blocks(void);

#endif
