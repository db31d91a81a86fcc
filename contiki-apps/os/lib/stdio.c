/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the standard output and of texts in memory; a platform has putchar(). */
#include <limits.h>
#include <stdio.h>

#include "lib/format.h"

static void
output_byte(char c, void *unused)
{
  (void)unused;
  putchar(c);
}

int
puts(const char *string)
{
  while(*string != '\0') {
    putchar(*string++);
  }
  putchar('\n');
  return 1;
}

int
vprintf(const char *string, va_list arguments)
{
  return format(output_byte, NULL, string, arguments);
}

int
printf(const char *string, ...)
{
  va_list arguments;
  va_start(arguments, string);
  int written = vprintf(string, arguments);
  va_end(arguments);
  return written;
}

struct text {
  char *next;
  size_t room; /* the final 0 not counted */
};

static void
text_byte(char c, void *where)
{
  struct text *text = where;

  if(text->room > 0) {
    *text->next++ = c;
    text->room--;
  }
}

int
vsnprintf(char *buffer, size_t size, const char *string, va_list arguments)
{
  struct text text = { buffer, size > 0 ? size - 1 : 0 };
  int length = format(text_byte, &text, string, arguments);

  if(size > 0) {
    *text.next = '\0';
  }
  return length;
}

int
snprintf(char *buffer, size_t size, const char *string, ...)
{
  va_list arguments;
  va_start(arguments, string);
  int length = vsnprintf(buffer, size, string, arguments);
  va_end(arguments);
  return length;
}

int
sprintf(char *buffer, const char *string, ...)
{
  va_list arguments;
  va_start(arguments, string);
  int length = vsnprintf(buffer, INT_MAX, string, arguments);
  va_end(arguments);
  return length;
}
