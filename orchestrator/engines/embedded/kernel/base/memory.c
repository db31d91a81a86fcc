/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include "base/report.h"

#include <stdlib.h>
#include <string.h>

static void *
checked(void *memory)
{
  if(memory == NULL) {
    report_error(ERROR_MEMORY, "out of memory; run fewer simulations at a time");
  }
  return memory;
}

void *
allocate(size_t count, size_t size)
{
  return checked(calloc(count ? count : 1, size));
}

void *
reallocate(void *old, size_t count, size_t size)
{
  return checked(count > SIZE_MAX / size ? NULL : realloc(old, count * size));
}

void *
with_room(void *items, uint32_t count, uint32_t *size, uint32_t first, size_t item)
{
  if(count < *size) {
    return items;
  }
  *size = *size ? 2 * *size : first;
  return reallocate(items, *size, item);
}

char *
duplicate(const char *text)
{
  return checked(strdup(text));
}
