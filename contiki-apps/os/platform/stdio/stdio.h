/* SPDX-License-Identifier: Apache-2.0 */
/* The mote's standard output: the serial line. It stands in for the host's
   <stdio.h>, so that nothing a mote prints passes through the host's library,
   and nothing else of that can be used by accident. Output is deterministic: %p prints
   "(ptr)". %n, %f and the like are not known. */
#ifndef MOTE_STDIO_H_
#define MOTE_STDIO_H_

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

int putchar(int c);
int puts(const char *string);
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
int sprintf(char *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *buffer, size_t size, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
int vsnprintf(char *buffer, size_t size, const char *format, va_list arguments)
  __attribute__((format(printf, 3, 0)));

#endif
