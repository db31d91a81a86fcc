/* SPDX-License-Identifier: Apache-2.0 */
#include "libc/heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Static because firmware calls these functions with libc's arguments only. */
static bool watched;
static int blocks;

void
heap_allocated(void)
{
  blocks += watched;
}

void *
heap_allocate(size_t size)
{
  heap_allocated();
  return malloc(size);
}

void *
heap_allocate_zeroed(size_t count, size_t size)
{
  heap_allocated();
  return calloc(count, size);
}

void *
heap_new(size_t size)
{
  void *memory = heap_allocate(size > 0 ? size : 1);

  if(memory == NULL) {
    abort(); /* firmware can't have exceptions here */
  }
  return memory;
}

char *
heap_copy(const char *text)
{
  heap_allocated();
  return strdup(text);
}

void
heap_gave_back(const void *memory)
{
  blocks -= watched && memory != NULL;
}

void
heap_watch(void)
{
  watched = true;
  blocks = 0;
}

int
heap_blocks(void)
{
  watched = false;
  return blocks;
}
