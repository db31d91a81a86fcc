/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STDLIB_H_
#define STDLIB_H_

#include <stddef.h>

#define RAND_MAX 0x7fff
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

int abs(int number);
long labs(long number);
int atoi(const char *text);
long atol(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
int rand(void);
void srand(unsigned seed);
void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
_Noreturn void abort(void); /* waits for ever with interrupts off */
_Noreturn void exit(int status);

#endif
