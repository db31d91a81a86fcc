/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STDIO_H_
#define STDIO_H_

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

typedef struct serial_line_ FILE; /* there are no files */
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list values);
int vsprintf(char *to, const char *format, va_list values);
int vsnprintf(char *to, size_t size, const char *format, va_list values);
int putchar(int character);
int puts(const char *line);

#endif
