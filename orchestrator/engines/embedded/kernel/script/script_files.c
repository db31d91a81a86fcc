/* SPDX-License-Identifier: Apache-2.0 */
#include "script/script_files.h"

#include "base/memory.h"
#include "base/report.h"
#include "observation/watch.h"
#include "script/script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char FOLDER[] = "script-files";

struct used {
  struct used *next;
  char name[];
};

struct script_files {
  char *place; /* of the folder */
  int folder;  /* -1: it isn't open yet */
  struct used *first;
  uint64_t written; /* bytes in all files */
};

struct script_files *
script_files_beside(const char *log)
{
  struct script_files *files = allocate(1, sizeof(*files));
  const char *slash = strrchr(log, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - log) + 1;

  files->folder = -1;
  files->place = allocate(length + sizeof(FOLDER), 1);
  memcpy(files->place, log, length);
  memcpy(files->place + length, FOLDER, sizeof(FOLDER));
  return files;
}

static void
open_folder(struct script_files *files)
{
  if(files->folder < 0) {
    if(mkdir(files->place, 0777) == 0 || errno == EEXIST) {
      files->folder = open(files->place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if(files->folder < 0) {
      report_error(ERROR_STORAGE, "can't make the folder %s: %s", files->place, strerror(errno));
    }
  }
}

static bool
is_new(struct script_files *files, const char *name)
{
  struct used *file;

  for(file = files->first; file != NULL; file = file->next) {
    if(strcmp(file->name, name) == 0) {
      return false;
    }
  }
  file = allocate(1, sizeof(*file) + strlen(name) + 1);
  memcpy(file->name, name, strlen(name) + 1);
  file->next = files->first;
  files->first = file;
  return true;
}

static bool
write_all(int file, const char *bytes, size_t length)
{
  while(length > 0) {
    ssize_t done = write(file, bytes, length);
    if(done < 0 && errno != EINTR) {
      return false;
    }
    bytes += done > 0 ? done : 0;
    length -= done > 0 ? (size_t)done : 0;
  }
  return true;
}

void
script_files_write(struct simulation *simulation, const char *bytes, size_t length, bool anew)
{
  struct script_files *files = simulation->script->files;
  const char *slash = length == 0 ? NULL : memchr(bytes, '/', length);
  size_t name_length = slash == NULL ? 0 : (size_t)(slash - bytes);
  char *name;
  int file;

  if(name_length == 0 || bytes[0] == '.' || memchr(bytes, 0, name_length) != NULL) {
    report_error(ERROR_KERNEL, "the script names a file that is not one beside the log");
  }
  name = allocate(name_length + 1, 1);
  memcpy(name, bytes, name_length);
  open_folder(files);
  file = openat(files->folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (is_new(files, name) || anew ? O_TRUNC : O_APPEND), 0666);
  if(file < 0 || !write_all(file, slash + 1, length - name_length - 1) || close(file) < 0) {
    report_error(ERROR_STORAGE, "can't write %s/%s: %s", files->place, name, strerror(errno));
  }
  free(name);
  files->written += length - name_length - 1;
  if(files->written > simulation->log.limit) {
    watch_log_full();
  }
}
