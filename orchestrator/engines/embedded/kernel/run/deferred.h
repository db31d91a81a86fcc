/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the process that drives the simulation which take effect when the present event is over. */
#ifndef DEFERRED_H
#define DEFERRED_H

#include "base/reader.h"

#define DEFERRED_END "deferred-end"

struct deferred {
  char *lines;
  size_t used, size;
};

/* Adds the reader's line, no word of which has been taken. */
void deferred_add(struct deferred *deferred, const struct reader *reader);

/* A reader of all lines, behind which DEFERRED_END follows; there are none after that. */
struct reader deferred_open(struct deferred *deferred);
void deferred_close(struct reader *reader);

#endif
