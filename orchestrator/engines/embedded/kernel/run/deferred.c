/* SPDX-License-Identifier: Apache-2.0 */
#include "run/deferred.h"

#include "base/memory.h"
#include "base/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
add(struct deferred *deferred, const char *line)
{
  size_t length = strlen(line);

  if(deferred->used + length + 1 > deferred->size) {
    deferred->size = 2 * (deferred->used + length + 1);
    deferred->lines = reallocate(deferred->lines, deferred->size, 1);
  }
  memcpy(deferred->lines + deferred->used, line, length);
  deferred->used += length;
  deferred->lines[deferred->used++] = '\n';
}

void
deferred_add(struct deferred *deferred, const struct reader *reader)
{
  add(deferred, reader->line);
}

struct reader
deferred_open(struct deferred *deferred)
{
  struct reader reader = {.name = "what the driver of the simulation said at a line"};

  add(deferred, DEFERRED_END);
  reader.file = fmemopen(deferred->lines, deferred->used, "r");
  if(reader.file == NULL) {
    report_error(ERROR_MEMORY, "what the driver said can't be read again: %s", strerror(errno));
  }
  deferred->used = 0;
  return reader;
}

void
deferred_close(struct reader *reader)
{
  fclose(reader->file);
  free(reader->line);
}
