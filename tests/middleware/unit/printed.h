/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what the sources that are included after it print, for a test that compares it. */
#ifndef PRINTED_H_
#define PRINTED_H_

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "check.h"

static char printed[2000];
/*---------------------------------------------------------------------------*/
static int __attribute__((format(printf, 1, 2)))
keep_printed(const char *format, ...)
{
  size_t length = strlen(printed);
  va_list values;
  int more;

  va_start(values, format);
  more = vsnprintf(printed + length, sizeof(printed) - length, format, values);
  va_end(values);
  CHECK(more >= 0 && length + more < sizeof(printed));
  return more;
}

/* Compares what was printed since the last comparison. */
#define CHECK_PRINTED(expected) do { \
    if(strcmp(printed, expected) != 0) { \
      fprintf(stderr, "%s:%d: printed \"%s\", not \"%s\"\n", __FILE__, __LINE__, printed, expected); \
      exit(1); \
    } \
    printed[0] = '\0'; \
  } while(0)

#define printf keep_printed

#endif
