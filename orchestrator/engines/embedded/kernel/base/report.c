/* SPDX-License-Identifier: Apache-2.0 */
#include "base/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int report_file = STDOUT_FILENO; /* the process's */

void
report_open(void)
{
  int copy = dup(STDOUT_FILENO);

  if(copy >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
    report_file = copy;
  }
}

bool
report_to(int file)
{
  return dup2(file, report_file) >= 0;
}

void
report_line(const struct text *json)
{
  const char *bytes = json->bytes;
  size_t rest = json->used;

  while(rest > 0) {
    ssize_t done = write(report_file, bytes, rest);
    if(done < 0 && errno != EINTR) {
      return;
    }
    bytes += done > 0 ? done : 0;
    rest -= done > 0 ? (size_t)done : 0;
  }
}

_Noreturn void
leave(enum exit_code code)
{
  _exit(code);
}

_Noreturn void
report_overrun(const char *firmware)
{
  char line[5000];
  struct text json = {line, 0, sizeof(line) - 8};

  text_add(&json, "{\"report\":\"overrun\",\"firmware\":");
  text_add_json(&json, firmware, strlen(firmware));
  json.size = sizeof(line);
  text_add(&json, "}\n");
  report_line(&json);
  leave(EXIT_CRASH);
}

static const char *
kind_name(enum error_kind kind)
{
  switch(kind) {
  case ERROR_DESCRIPTION: return "description";
  case ERROR_LOAD: return "load";
  case ERROR_STORAGE: return "storage";
  case ERROR_MEMORY: return "memory";
  case ERROR_SCRIPT: return "script";
  case ERROR_INTERPRETER: return "interpreter";
  case ERROR_KERNEL: break;
  }
  return "kernel";
}

_Noreturn void
report_error(enum error_kind kind, const char *format, ...)
{
  char message[4096], line[9000];
  struct text json = {line, 0, sizeof(line) - 8};
  va_list arguments;
  int length;

  va_start(arguments, format);
  length = vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  length = length < 0 ? 0 : length < (int)sizeof(message) ? length : (int)sizeof(message) - 1;
  text_add(&json, "{\"report\":\"error\",\"kind\":\"");
  text_add(&json, kind_name(kind));
  text_add(&json, "\",\"message\":");
  text_add_json(&json, message, (size_t)length);
  json.size = sizeof(line);
  text_add(&json, "}\n");
  report_line(&json);
  leave((enum exit_code)kind);
}
