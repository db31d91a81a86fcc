/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats text as libc does, several times faster, for the conversions that
 * firmware uses: %d %i %u %x %X %c %s %% with lengths, width, - and 0, and
 * precisions of strings. All other formats are left to libc.
 */
#ifndef FORMATTED_H
#define FORMATTED_H

#include <stdarg.h>
#include <stddef.h>

/* These replace libc's functions that the comments name. */
int formatted_allocated(char **text, const char *format, va_list arguments);        /* vasprintf; the next two take its text: */
int formatted_anew(char **text, const char *format, ...);
void formatted_free(void *memory);                                                  /* free */
void *formatted_realloc(void *memory, size_t size);                                 /* realloc */
int formatted_list(char *text, size_t size, const char *format, va_list arguments); /* vsnprintf */
int formatted(char *text, size_t size, const char *format, ...);                    /* snprintf */

#endif
