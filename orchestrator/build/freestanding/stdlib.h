/* SPDX-License-Identifier: Apache-2.0 */
/* For a compiler without a C library, which is to measure sizes and links nothing. */
#ifndef STDLIB_H_
#define STDLIB_H_

#include <stddef.h>

long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
int atoi(const char *text);
int abs(int number);
void abort(void);
void *malloc(size_t size);
void free(void *memory);
void qsort(void *begin, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
