/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation that always succeeds: if memory is exhausted, the process ends with a report (report.h). */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *allocate(size_t count, size_t size);             /* zeroed */
void *reallocate(void *old, size_t count, size_t size); /* not zeroed */
/* An array with room for one more item: a full one doubles; the first has room for `first`. */
void *with_room(void *items, uint32_t count, uint32_t *size, uint32_t first, size_t item);
char *duplicate(const char *text);

#endif
