/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's reports on its standard output, each a line of JSON. The last one's member "report" is "end", "crash", "overrun",
 * "sanitizer", "time", "full" or "error", with an exit code for each. Before it there may be some with "warning" or "stopped".
 */
#ifndef REPORT_H
#define REPORT_H

#include "base/text.h"

#include <stdbool.h>

enum exit_code {
  EXIT_VERDICT_OK = 0,
  EXIT_VERDICT_FAILED = 1,
  EXIT_DESCRIPTION = 2, /* the description or the command line is wrong */
  EXIT_LOAD = 3,        /* a firmware can't be loaded */
  EXIT_CRASH = 4,       /* a mote crashed */
  EXIT_TIME = 5,        /* wall-clock limit */
  EXIT_STORAGE = 6,     /* the log can't be written */
  EXIT_MEMORY = 7,
  EXIT_KERNEL = 8,      /* a fault in this program */
  EXIT_LOG = 9,         /* the log reached its limit */
  EXIT_SCRIPT = 10,     /* the script, or the process that drives the simulation, ended without a verdict */
  EXIT_SANITIZER = 11,  /* a sanitizer found a fault in a mote's firmware */
  EXIT_INTERPRETER = 12 /* the interpreter of scripts can't be loaded */
};

enum error_kind {
  ERROR_DESCRIPTION = EXIT_DESCRIPTION,
  ERROR_LOAD = EXIT_LOAD,
  ERROR_STORAGE = EXIT_STORAGE,
  ERROR_MEMORY = EXIT_MEMORY,
  ERROR_KERNEL = EXIT_KERNEL,
  ERROR_SCRIPT = EXIT_SCRIPT,
  ERROR_INTERPRETER = EXIT_INTERPRETER
};

/* Keeps standard output for reports: what firmware prints through libc goes to standard error. */
void report_open(void);

/* From now on reports go to this file, which is copied; false with errno if it can't. */
bool report_to(int file);

/* Writes a line of JSON. Safe inside a signal handler. */
void report_line(const struct text *json);

_Noreturn void report_error(enum error_kind kind, const char *format, ...)
  __attribute__((format(printf, 2, 3)));

/* Some mote with this firmware wrote past its data: the run has to be made again with --guards 1 to find out which. */
_Noreturn void report_overrun(const char *firmware);

/* Ends the process at once, without exit handlers, which could be a mote's. */
_Noreturn void leave(enum exit_code code);

#endif
