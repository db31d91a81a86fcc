/* SPDX-License-Identifier: Apache-2.0 */
#include "observation/held_log.h"

#include "base/memory.h"

#include <string.h>

struct held_piece { /* a record that waits, or the gap for which it does */
  struct held_piece *next;
  bool is_gap;
  uint8_t *bytes;
  size_t used, size;
};

static void
make_room(struct held_piece *piece, size_t count)
{
  if(piece->size - piece->used < count) {
    piece->size = 2 * piece->size + count;
    piece->bytes = reallocate(piece->bytes, piece->size, 1);
  }
}

static struct held_piece *
add_piece(struct held_log *file)
{
  struct held_piece *piece = file->unused;

  if(piece != NULL) {
    file->unused = piece->next;
  } else {
    piece = allocate(1, sizeof(*piece));
    make_room(piece, HELD_GAP);
  }
  piece->next = NULL;
  piece->is_gap = false;
  piece->used = 0;
  *(file->first != NULL ? &file->last->next : &file->first) = piece;
  file->last = piece;
  return piece;
}

void
held_reserve(struct held_log *file, size_t count)
{
  if(file->first == NULL) {
    log_reserve(&file->log, count);
  } else {
    make_room(add_piece(file), count);
  }
}

void
held_append(struct held_log *file, const void *bytes, size_t count)
{
  if(file->first == NULL) {
    log_append(&file->log, bytes, count);
    return;
  }
  make_room(file->last, count);
  memcpy(file->last->bytes + file->last->used, bytes, count);
  file->last->used += count;
}

struct held_piece *
held_gap(struct held_log *file)
{
  struct held_piece *piece = add_piece(file);

  piece->is_gap = true;
  return piece;
}

void
held_fill(struct held_log *file, struct held_piece *gap, const void *bytes, size_t count)
{
  memcpy(gap->bytes, bytes, count);
  gap->used = count;
  gap->is_gap = false;
  while(file->first != NULL && !file->first->is_gap) {
    struct held_piece *piece = file->first;
    log_reserve(&file->log, piece->used);
    log_append(&file->log, (const char *)piece->bytes, piece->used);
    file->first = piece->next;
    piece->next = file->unused;
    file->unused = piece;
  }
}
