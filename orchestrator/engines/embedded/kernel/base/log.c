/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/memory.h"
#include "base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_SIZE = 256 * 1024, HELD_SIZE = 16 << 20 };

static bool
create(struct log *log)
{
  log->file = open(log->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return log->file >= 0;
}

static void
prepare(struct log *log, const char *path, uint64_t limit, size_t size)
{
  *log = (struct log){
    .file = -1, .path = path, .limit = limit > 0 ? limit : UINT64_MAX, .buffer = allocate(size, 1), .size = size};
}

void
log_hold(struct log *log, const char *path, uint64_t limit, int held)
{
  prepare(log, path, limit, HELD_SIZE);
  log->held = held;
}

void
log_open(struct log *log, const char *path, uint64_t limit)
{
  prepare(log, path, limit, BUFFER_SIZE);
  if(!create(log)) {
    report_error(ERROR_STORAGE, "can't create the log %s: %s", path, strerror(errno));
  }
}

static double
seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void
wait_for_release(struct log *log)
{
  double from = seconds();
  ssize_t count;
  char byte;

  do {
    count = read(log->held, &byte, 1);
  } while(count < 0 && errno == EINTR);
  if(count != 1) {
    leave(EXIT_KERNEL);
  }
  log->held = 0;
  log->size = BUFFER_SIZE; /* of which it has more at the moment, but that is flushed now */
  log->held_s = seconds() - from;
  if(!create(log)) {
    log->error = errno;
  }
}

bool
log_flush(struct log *log)
{
  size_t done = 0;

  if(log->held != 0) {
    wait_for_release(log);
  }
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
  if(count > log->size - log->used) {
    flush_or_end(log);
  }
}

void
log_append(struct log *log, const char *bytes, size_t count)
{
  while(count > 0) {
    size_t room = log->size - log->used;
    size_t part = count < room ? count : room;
    memcpy(log->buffer + log->used, bytes, part);
    log->used += part;
    bytes += part;
    count -= part;
    if(log->used == log->size) {
      flush_or_end(log);
    }
  }
}

size_t
log_read(const struct log *log, uint64_t position, char *bytes, size_t count)
{
  ssize_t done = pread(log->file, bytes, count, (off_t)position);

  return done > 0 ? (size_t)done : 0;
}
