/* SPDX-License-Identifier: Apache-2.0 */
/* For a compiler without a C library, which is to measure sizes and links nothing. */
#ifndef STDIO_H_
#define STDIO_H_

#include <stdarg.h>
#include <stddef.h>

int printf(const char *format, ...);
int snprintf(char *to, size_t size, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int vprintf(const char *format, va_list arguments);
int vsnprintf(char *to, size_t size, const char *format, va_list arguments);
int putchar(int character);
int puts(const char *line);

#endif
