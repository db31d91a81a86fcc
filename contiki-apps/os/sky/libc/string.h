/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STRING_H_
#define STRING_H_

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *one, const void *other, size_t size);
void *memchr(const void *in, int byte, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
int strcmp(const char *one, const char *other);
int strncmp(const char *one, const char *other, size_t most);
int strcasecmp(const char *one, const char *other);
int strncasecmp(const char *one, const char *other, size_t most);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t most);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t most);
char *strchr(const char *in, int character);
char *strrchr(const char *in, int character);
char *strstr(const char *in, const char *text);
size_t strspn(const char *text, const char *of);
size_t strcspn(const char *text, const char *of);
char *strpbrk(const char *text, const char *of);
char *strtok(char *text, const char *separators);

#endif
