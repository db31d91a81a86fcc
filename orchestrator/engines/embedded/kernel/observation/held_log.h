/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log in the order in which its records begin. What isn't known at its record's beginning leaves a gap, and all that follows
 * waits in memory until the gap is filled. Without gaps it is a log like any other.
 */
#ifndef HELD_LOG_H
#define HELD_LOG_H

#include "base/log.h"

struct held_piece;

struct held_log {
  struct log log;
  struct held_piece *first, *last, *unused; /* those that wait begin with a gap */
};

/* The next bytes, at most so many (fewer than LOG_BUFFER), are a record: whenever the file is cut, it has all of them or none. */
void held_reserve(struct held_log *file, size_t count);
void held_append(struct held_log *file, const void *bytes, size_t count);

enum { HELD_GAP = 256 }; /* bytes, the most that fill a gap */

struct held_piece *held_gap(struct held_log *file);

/* Allocates nothing; so it is safe inside a signal handler, like log_flush(), if the log's buffer has room for all that waits. */
void held_fill(struct held_log *file, struct held_piece *gap, const void *bytes, size_t count);

#endif
