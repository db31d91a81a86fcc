/* SPDX-License-Identifier: Apache-2.0 */
/* The log file: written through a buffer, flushed by log_flush() (about twice a second, and before any report). */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG_BUFFER = 256 * 1024 }; /* bytes */

struct log {
  int file;
  int error; /* errno of the write that failed, or 0 */
  bool closed; /* the script has given its verdict, so no more lines of motes are logged */
  char *buffer;
  size_t used;
  uint64_t flushed; /* bytes in the file */
  uint64_t limit;   /* bytes; callers that append check it */
};

/* Creates or truncates the file; errors end the process with a report. `limit`: bytes, 0 for none. */
void log_open(struct log *log, const char *path, uint64_t limit);

void log_append(struct log *log, const char *bytes, size_t count);

/* Flushes the buffer if the next `count` bytes (fewer than LOG_BUFFER) don't fit, so that they are written together. */
void log_reserve(struct log *log, size_t count);

/* Appends all flushed bytes to another file; false with errno if it can't. */
bool log_copy(const struct log *log, int file);

/* Writes the buffer; false if the file can't be written. Safe inside a signal handler outside log_append(). */
bool log_flush(struct log *log);

/* The position of the next byte in the file. */
static inline uint64_t
log_position(const struct log *log)
{
  return log->flushed + log->used;
}

/* Reads back up to `count` flushed bytes; returns how many. Safe inside a signal handler. */
size_t log_read(const struct log *log, uint64_t position, char *bytes, size_t count);

#endif
