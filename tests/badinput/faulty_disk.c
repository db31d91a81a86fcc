/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a command and all that it starts: counts what they do to files
 * under a folder, and from a certain operation on the disk is full, or at it
 * the command and all that it started are killed, in the middle of a write:
 * its process group, and the group of an engine, which has its own.
 *
 * FAULTS_UNDER: the folder. FAULTS_CONTROL: a file that is a struct control.
 * FAULTS_JOURNAL: gets a line an operation.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* faulty_disk.py writes it anew for each command that it runs. */
struct control {
  _Atomic long count; /* of operations so far */
  long at;            /* the operation at which it begins; -1: never */
  long kills;         /* or else the disk is full */
  long command;       /* the command's process group */
};

static struct control *control;
static const char *under;
static int journal = -1;

__attribute__((constructor)) static void
prepare(void)
{
  const char *text = getenv("FAULTS_CONTROL");
  int file = text == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, text, O_RDWR | O_CLOEXEC);

  under = getenv("FAULTS_UNDER");
  if(file < 0 || under == NULL) {
    return;
  }
  control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  if(control == MAP_FAILED) {
    control = NULL;
  }
  text = getenv("FAULTS_JOURNAL");
  if(text != NULL) {
    journal = (int)syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }
}

/* Return 0 for a file of others, 1 to go on, 2 to die in the write, -1 for a full disk. */
static int
fate(const char *operation, const char *path)
{
  char line[PATH_MAX + 64];
  long now;

  if(control == NULL || strncmp(path, under, strlen(under)) != 0) {
    return 0;
  }
  now = atomic_fetch_add(&control->count, 1);
  if(journal >= 0) {
    int size = snprintf(line, sizeof(line), "%ld\t%s\t%s\n", now, operation, path + strlen(under));
    syscall(SYS_write, journal, line, (size_t)size);
  }
  if(control->at < 0 || now < control->at) {
    return 1;
  }
  if(control->kills) {
    return now == control->at ? 2 : 1;
  }
  errno = ENOSPC;
  return -1;
}

static void
die(void)
{
  kill(-(pid_t)control->command, SIGKILL);
  kill(0, SIGKILL);
  pause();
}

static const char *
absolute(int folder, const char *path, char *room)
{
  char name[64];
  ssize_t size;

  if(path[0] == '/') {
    return path;
  }
  snprintf(name, sizeof(name), folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
  size = readlink(name, room, PATH_MAX - strlen(path) - 2);
  if(size < 0) {
    return "";
  }
  room[size] = '/';
  strcpy(room + size + 1, path);
  return room;
}

static int
fate_of_path(const char *operation, int folder, const char *path)
{
  char room[PATH_MAX + 1];
  int found = fate(operation, absolute(folder, path, room));

  if(found == 2) {
    die();
  }
  return found;
}

static int
fate_of_file(const char *operation, int file)
{
  char name[64], room[PATH_MAX + 1];
  ssize_t size;

  snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
  size = control == NULL ? -1 : readlink(name, room, PATH_MAX);
  if(size < 0) {
    return 0;
  }
  room[size] = 0;
  return fate(operation, room);
}

#define REAL(type, name) \
  static type real; \
  if(real == NULL) { \
    real = (type)dlsym(RTLD_NEXT, #name); \
  }

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    typedef int (*type)(const char *, int, ...); \
    va_list arguments; \
    mode_t mode; \
    REAL(type, name) \
    va_start(arguments, flags); \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments); \
    if((flags & O_CREAT) && fate_of_path("create", AT_FDCWD, path) < 0) { \
      return -1; \
    } \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    typedef int (*type)(int, const char *, int, ...); \
    va_list arguments; \
    mode_t mode; \
    REAL(type, name) \
    va_start(arguments, flags); \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments); \
    if((flags & O_CREAT) && fate_of_path("create", folder, path) < 0) { \
      return -1; \
    } \
    return real(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t
write(int file, const void *bytes, size_t count)
{
  int found = fate_of_file("write", file);

  if(found == 2) {
    syscall(SYS_write, file, bytes, count / 2);
    die();
  }
  return found < 0 ? -1 : syscall(SYS_write, file, bytes, count);
}

ssize_t
writev(int file, const struct iovec *parts, int count)
{
  int found = fate_of_file("write", file);

  if(found == 2) {
    die();
  }
  return found < 0 ? -1 : syscall(SYS_writev, file, parts, count);
}

#define COPY(name, number, to, from, call, ...) \
  ssize_t name(__VA_ARGS__) { \
    int found = fate_of_file("write", to); \
    if(found == 2) { \
      die(); \
    } \
    return found < 0 ? -1 : syscall(number, call); \
  }
#define SENDFILE_ARGUMENTS out, in, offset, count
COPY(sendfile, SYS_sendfile, out, in, SENDFILE_ARGUMENTS, int out, int in, off_t *offset, size_t count)
COPY(sendfile64, SYS_sendfile, out, in, SENDFILE_ARGUMENTS, int out, int in, off64_t *offset, size_t count)

#define TWO_PATHS(name, operation) \
  int name(const char *from, const char *to) { \
    typedef int (*type)(const char *, const char *); \
    REAL(type, name) \
    return fate_of_path(operation, AT_FDCWD, to) < 0 ? -1 : real(from, to); \
  }
TWO_PATHS(rename, "rename")
TWO_PATHS(link, "link")
TWO_PATHS(symlink, "symlink")

int
mkdir(const char *path, mode_t mode)
{
  return fate_of_path("mkdir", AT_FDCWD, path) < 0 ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int
fsync(int file)
{
  int found = fate_of_file("fsync", file);

  if(found == 2) {
    die();
  }
  return found < 0 ? -1 : (int)syscall(SYS_fsync, file);
}
