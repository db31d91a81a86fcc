/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output into Cooja's log interface. */
#include <limits.h>
#include <stdio.h>

#include "lib/format.h"
#include "platform/mote.h"

/* What a process prints waits for the simulator when the buffer is full, as for
   a serial line. An rtimer can't wait: what it can't print is counted. */
MOTE_ABI int simLoggedLost;

static void
log_byte(char c, void *unused)
{
  (void)unused;
  if(simLoggedLength >= MOTE_CONF_LOG_SIZE && fibre_is_running()) {
    fibre_wait();
  }
  if(simLoggedLength < 0 || simLoggedLength >= MOTE_CONF_LOG_SIZE) {
    simLoggedLost++;
    return;
  }
  simLoggedData[simLoggedLength++] = c;
  simLoggedFlag = 1;
}

int
putchar(int c)
{
  log_byte((char)c, NULL);
  return (unsigned char)c;
}

int
puts(const char *string)
{
  while(*string != '\0') {
    log_byte(*string++, NULL);
  }
  log_byte('\n', NULL);
  return 1;
}

int
vprintf(const char *string, va_list arguments)
{
  return format(log_byte, NULL, string, arguments);
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
