/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded into every program of a build ($LD_PRELOAD): writes down which files it reads, writes and looks for in vain, and
 * which folders it lists, into the file $ORCHESTRATE_READS. One line each: a letter, the process, and behind it
 *   S parent, working folder and arguments, separated by unit separators (0x1f), when a program starts
 *   R, W, M, D a path: read, written, missing, listed
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 2 * PATH_MAX + 64, ARGUMENTS = 64 * 1024 };

static int log_file = -1;

static void
put(const char *line, size_t length)
{
  int before = errno;

  if(log_file >= 0 && write(log_file, line, length) < 0) {
    _exit(125); /* half a record would be a wrong one */
  }
  errno = before;
}

static void
note(char what, int folder, const char *path)
{
  char line[LONGEST], place[PATH_MAX] = "", link[40];
  int before = errno, length;

  if(log_file < 0 || path == NULL || *path == 0) {
    return;
  }
  if(*path != '/' && folder == AT_FDCWD) {
    if(getcwd(place, sizeof(place)) == NULL) {
      *place = 0;
    }
  } else if(*path != '/') {
    ssize_t got;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
    got = readlink(link, place, sizeof(place) - 1);
    place[got < 0 ? 0 : got] = 0;
  }
  length = snprintf(line, sizeof(line), "%c %d %s%s%s\n", what, (int)getpid(), place, *path == '/' ? "" : "/", path);
  if(length < (int)sizeof(line)) {
    put(line, (size_t)length);
  }
  errno = before;
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if(real == NULL) { \
    real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name); \
  }

static void
note_opened(int flags, int folder, const char *path, int failed)
{
  if((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0) {
    note('W', folder, path);
  } else if(!failed) {
    note('R', folder, path);
  } else if(errno == ENOENT || errno == ENOTDIR) {
    note('M', folder, path);
  }
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) \
  { \
    REAL(name) \
    va_list rest; \
    int mode, got; \
    va_start(rest, flags); \
    mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, int) : 0; \
    va_end(rest); \
    got = real(path, flags, mode); \
    note_opened(flags, AT_FDCWD, path, got < 0); \
    return got; \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) \
  { \
    REAL(name) \
    va_list rest; \
    int mode, got; \
    va_start(rest, flags); \
    mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, int) : 0; \
    va_end(rest); \
    got = real(folder, path, flags, mode); \
    note_opened(flags, folder, path, got < 0); \
    return got; \
  }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name) \
  FILE *name(const char *path, const char *mode) \
  { \
    REAL(name) \
    FILE *got = real(path, mode); \
    note_opened(*mode == 'r' && strchr(mode, '+') == NULL ? O_RDONLY : O_WRONLY, AT_FDCWD, path, got == NULL); \
    return got; \
  }
FOPEN(fopen)
FOPEN(fopen64)

#define LOOK(name, type) \
  int name(const char *path, type *found) \
  { \
    REAL(name) \
    int got = real(path, found); \
    if(got < 0 && (errno == ENOENT || errno == ENOTDIR)) { \
      note('M', AT_FDCWD, path); \
    } \
    return got; \
  }
#undef stat
#undef lstat
#undef stat64
#undef lstat64
LOOK(stat, struct stat)
LOOK(lstat, struct stat)
LOOK(stat64, struct stat64)
LOOK(lstat64, struct stat64)

#define LOOKAT(name, type) \
  int name(int folder, const char *path, type *found, int flags) \
  { \
    REAL(name) \
    int got = real(folder, path, found, flags); \
    if(got < 0 && (errno == ENOENT || errno == ENOTDIR)) { \
      note('M', folder, path); \
    } \
    return got; \
  }
LOOKAT(fstatat, struct stat)
LOOKAT(fstatat64, struct stat64)

int
access(const char *path, int mode)
{
  REAL(access)
  int got = real(path, mode);

  if(got < 0 && (errno == ENOENT || errno == ENOTDIR)) {
    note('M', AT_FDCWD, path);
  }
  return got;
}

DIR *
opendir(const char *path)
{
  REAL(opendir)
  DIR *got = real(path);

  note(got != NULL ? 'D' : 'M', AT_FDCWD, path);
  return got;
}

__attribute__((constructor)) static void
start(void)
{
  static char line[ARGUMENTS];
  const char *name = getenv("ORCHESTRATE_READS");
  char place[PATH_MAX];
  int (*real)(int, const char *, int, ...) = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
  int length, file;
  ssize_t got;

  log_file = name == NULL ? -1 : real(AT_FDCWD, name, O_WRONLY | O_APPEND | O_CLOEXEC);
  if(log_file < 0 || getcwd(place, sizeof(place)) == NULL) {
    return;
  }
  length = snprintf(line, sizeof(line), "S %d %d\x1f%s\x1f", (int)getpid(), (int)getppid(), place);
  file = real(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  got = read(file, line + length, sizeof(line) - (size_t)length - 1);
  close(file);
  for(int i = length; i < length + (int)got; i++) {
    line[i] = line[i] == 0 ? '\x1f' : line[i] == '\n' ? ' ' : line[i];
  }
  length += got > 0 ? (int)got : 0;
  line[length++] = '\n';
  put(line, (size_t)length);
  got = readlink("/proc/self/exe", place, sizeof(place) - 1);
  place[got > 0 ? got : 0] = 0;
  note('R', AT_FDCWD, place);
}
