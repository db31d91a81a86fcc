/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/memory.h"
#include "base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void
log_open(struct log *log, const char *path, uint64_t limit)
{
  *log = (struct log){.limit = limit > 0 ? limit : UINT64_MAX, .buffer = allocate(LOG_BUFFER, 1)};
  log->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if(log->file < 0) {
    report_error(ERROR_STORAGE, "can't create the log %s: %s", path, strerror(errno));
  }
}

bool
log_flush(struct log *log)
{
  size_t done = 0;

  while(done < log->used && log->error == 0) {
    ssize_t count = write(log->file, log->buffer + done, log->used - done);
    if(count >= 0) {
      done += (size_t)count;
      log->flushed += (uint64_t)count;
    } else if(errno != EINTR) {
      log->error = errno;
    }
  }
  log->used = 0;
  return log->error == 0;
}

static void
flush_or_end(struct log *log)
{
  if(!log_flush(log)) {
    report_error(ERROR_STORAGE, "can't write the log: %s", strerror(log->error));
  }
}

void
log_reserve(struct log *log, size_t count)
{
  if(count > LOG_BUFFER - log->used) {
    flush_or_end(log);
  }
}

void
log_append(struct log *log, const char *bytes, size_t count)
{
  while(count > 0) {
    size_t room = LOG_BUFFER - log->used;
    size_t part = count < room ? count : room;
    memcpy(log->buffer + log->used, bytes, part);
    log->used += part;
    bytes += part;
    count -= part;
    if(log->used == LOG_BUFFER) {
      flush_or_end(log);
    }
  }
}

/* Some file systems share what is copied so; where the call isn't there or can't, the bytes are read and written. */
bool
log_copy(const struct log *log, int file)
{
  uint64_t done = 0;

  while(done < log->flushed) {
    off_t from = (off_t)done;
    ssize_t count = copy_file_range(log->file, &from, file, NULL, log->flushed - done, 0);
    if(count <= 0) {
      char bytes[64 * 1024];
      size_t rest = log->flushed - done;
      count = pread(log->file, bytes, rest < sizeof(bytes) ? rest : sizeof(bytes), (off_t)done);
      count = count > 0 ? write(file, bytes, (size_t)count) : count;
    }
    if(count == 0) {
      errno = EIO; /* somebody has shortened it */
    }
    if(count == 0 || (count < 0 && errno != EINTR)) {
      return false;
    }
    done += count > 0 ? (uint64_t)count : 0;
  }
  return true;
}

size_t
log_read(const struct log *log, uint64_t position, char *bytes, size_t count)
{
  ssize_t done = pread(log->file, bytes, count, (off_t)position);

  return done > 0 ? (size_t)done : 0;
}
