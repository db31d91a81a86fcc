/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation that always succeeds: if memory is exhausted, the process ends with a report (report.h). */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

void *allocate(size_t count, size_t size);             /* zeroed */
void *reallocate(void *old, size_t count, size_t size); /* not zeroed */
char *duplicate(const char *text);

#endif
