/* SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_ROWS = 1024, LONGEST_TEXT = 128, ALIGNMENT = 64, PAGES = 1 << 20 };

static const unsigned WIDTH[] = {[INT8] = 1, [INT16] = 2, [INT32] = 4, [INT64] = 8, [FLOAT32] = 4, [TEXT] = 4};
static const char *const NAMES[] = {
  [BOOLEAN] = "bool", [INT8] = "int8", [INT16] = "int16", [INT32] = "int32", [INT64] = "int64", [FLOAT32] = "float32", [TEXT] = "text"};

/* Large arrays are pages of their own, which the kernel gives zeroed when they are touched, and moves without copying. */
static void *
grown_pages(void *memory, size_t before, size_t after)
{
  void *pages = before >= PAGES ? mremap(memory, before, after, MREMAP_MAYMOVE)
                                : mmap(NULL, after, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if(pages == MAP_FAILED) {
    fprintf(stderr, "out of memory\n");
    exit(2);
  }
  if(before < PAGES && before > 0) {
    memcpy(pages, memory, before);
    free(memory);
  }
  return pages;
}

void *
grown(void *memory, size_t before, size_t after)
{
  uint8_t *bytes;

  if(after >= PAGES) {
    return grown_pages(memory, before, after);
  }
  bytes = realloc(memory, after > 0 ? after : 1);
  if(bytes == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(2);
  }
  memset(bytes + before, 0, after - before);
  return bytes;
}

void
release(void *memory, size_t size)
{
  if(size >= PAGES) {
    munmap(memory, size);
  } else {
    free(memory);
  }
}

static size_t
data_size(const struct column *column, size_t rows)
{
  return column->kind == BOOLEAN ? (rows + 7) / 8 : rows * WIDTH[column->kind];
}

static void
more_rows(struct table *table)
{
  size_t room = table->room > 0 ? 2 * table->room : FIRST_ROWS;

  for(unsigned i = 0; i < table->column_count; i++) {
    struct column *column = &table->columns[i];
    column->data = grown(column->data, data_size(column, table->room), data_size(column, room));
    column->valid = grown(column->valid, table->room / 8, room / 8);
  }
  table->room = room;
}

static inline void
put(struct column *column, size_t row, int64_t value)
{
  switch(column->kind) {
  case BOOLEAN:
    column->data[row / 8] = (uint8_t)((column->data[row / 8] & ~(1 << row % 8)) | (value != 0) << row % 8);
    break;
  case INT8:
    column->data[row] = (uint8_t)value;
    break;
  case INT16:
    ((uint16_t *)(void *)column->data)[row] = (uint16_t)value;
    break;
  case INT64:
    ((int64_t *)(void *)column->data)[row] = value;
    break;
  default:
    ((uint32_t *)(void *)column->data)[row] = (uint32_t)value;
  }
  if(!(column->valid[row / 8] >> row % 8 & 1)) {
    column->valid[row / 8] |= (uint8_t)(1 << row % 8);
    column->present++;
  }
}

void
table_append(struct table *table, const struct row *row)
{
  if(table->rows == table->room) {
    more_rows(table);
  }
  for(unsigned word = 0; word * 64 < table->column_count; word++) {
    for(uint64_t left = row->has[word]; left != 0; left &= left - 1) {
      unsigned column = 64 * word + (unsigned)__builtin_ctzll(left);
      put(&table->columns[column], table->rows, row->value[column]);
    }
  }
  table->rows++;
}

void
table_replace(struct table *table, size_t row, unsigned column, int64_t value)
{
  put(&table->columns[column], row, value);
}

int64_t
row_of_float(float value)
{
  uint32_t bits;

  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

uint64_t
hash_of(const uint8_t *bytes, size_t count)
{
  uint64_t hash = UINT64_C(0xCBF29CE484222325);

  for(size_t i = 0; i < count; i++) {
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
  }
  return hash;
}

uint32_t
dictionary_add(struct dictionary *dictionary, const char *text, size_t length)
{
  if(dictionary->count + 2 > dictionary->room) {
    uint32_t room = dictionary->room > 0 ? 2 * dictionary->room : 64;
    dictionary->offsets = grown(dictionary->offsets, dictionary->room * sizeof(int32_t), room * sizeof(int32_t));
    dictionary->room = room;
  }
  if(dictionary->used + length > dictionary->size) {
    size_t size = 2 * (dictionary->used + length);
    dictionary->bytes = grown(dictionary->bytes, dictionary->size, size);
    dictionary->size = size;
  }
  memcpy(dictionary->bytes + dictionary->used, text, length);
  dictionary->used += length;
  dictionary->offsets[++dictionary->count] = (int32_t)dictionary->used;
  return dictionary->count - 1;
}

static void
more_slots(struct dictionary *dictionary)
{
  struct slot *before = dictionary->slots;
  uint32_t count = dictionary->slot_count, more = count > 0 ? 2 * count : 256;

  dictionary->slots = grown(NULL, 0, more * sizeof(*before));
  dictionary->slot_count = more;
  for(uint32_t i = 0; i < count; i++) {
    if(before[i].entry != 0) {
      uint32_t at = (uint32_t)before[i].hash & (more - 1);
      while(dictionary->slots[at].entry != 0) {
        at = (at + 1) & (more - 1);
      }
      dictionary->slots[at] = before[i];
    }
  }
  release(before, count * sizeof(*before));
}

uint32_t
dictionary_intern(struct dictionary *dictionary, const void *key, size_t size,
                  size_t (*text)(char *text, const uint8_t *key, size_t size))
{
  uint64_t hash = hash_of(key, size) * UINT64_C(0x9E3779B97F4A7C15) + size;
  char written[LONGEST_TEXT];
  uint32_t at;

  hash ^= hash >> 32;
  if(2 * dictionary->count >= dictionary->slot_count) {
    more_slots(dictionary);
  }
  for(at = (uint32_t)hash & (dictionary->slot_count - 1); dictionary->slots[at].entry != 0; at = (at + 1) & (dictionary->slot_count - 1)) {
    const struct slot *slot = &dictionary->slots[at];
    if(slot->hash == hash && dictionary->keys[slot->key] == (uint8_t)size && memcmp(dictionary->keys + slot->key + 1, key, size) == 0) {
      return slot->entry - 1;
    }
  }
  if(dictionary->keys_used + size + 1 > dictionary->keys_size) {
    size_t more = 2 * (dictionary->keys_used + size + 1);
    dictionary->keys = grown(dictionary->keys, dictionary->keys_size, more);
    dictionary->keys_size = more;
  }
  dictionary->slots[at] = (struct slot){hash, dictionary_add(dictionary, written, text(written, key, size)) + 1, (uint32_t)dictionary->keys_used};
  dictionary->keys[dictionary->keys_used++] = (uint8_t)size;
  memcpy(dictionary->keys + dictionary->keys_used, key, size);
  dictionary->keys_used += size;
  return dictionary->slots[at].entry - 1;
}

/* Writes an array at an aligned place; returns where. */
static size_t
write_array(FILE *into, size_t *position, const void *bytes, size_t size)
{
  static const uint8_t ZEROS[ALIGNMENT];
  size_t gap = (ALIGNMENT - *position % ALIGNMENT) % ALIGNMENT, at = *position + gap;

  if(gap > 0) {
    fwrite(ZEROS, 1, gap, into);
  }
  if(size > 0) {
    fwrite(bytes, 1, size, into);
  }
  *position = at + size;
  return at;
}

bool
tables_write(struct table *const tables[], unsigned count, FILE *into, FILE *header)
{
  static const int32_t NOTHING[1];
  size_t position = 0;

  fprintf(header, "\"tables\":{");
  for(unsigned t = 0; t < count; t++) {
    struct table *table = tables[t];
    fprintf(header, "%s\"%s\":{\"rows\":%zu,\"columns\":[", t > 0 ? "," : "", table->name, table->rows);
    for(unsigned c = 0; c < table->column_count; c++) {
      struct column *column = &table->columns[c];
      fprintf(header, "%s{\"name\":\"%s\",\"kind\":\"%s\",\"nulls\":%zu", c > 0 ? "," : "", column->name, NAMES[column->kind],
              table->rows - column->present);
      if(column->present > 0) {
        fprintf(header, ",\"data\":%zu", write_array(into, &position, column->data, data_size(column, table->rows)));
        if(column->present < table->rows) {
          fprintf(header, ",\"valid\":%zu", write_array(into, &position, column->valid, (table->rows + 7) / 8));
        }
        if(column->kind == TEXT) {
          const struct dictionary *dictionary = column->dictionary;
          fprintf(header, ",\"entries\":%u,\"offsets\":%zu", dictionary->count,
                  write_array(into, &position, dictionary->count > 0 ? dictionary->offsets : NOTHING, (dictionary->count + 1) * sizeof(int32_t)));
          fprintf(header, ",\"text\":%zu,\"length\":%zu", write_array(into, &position, dictionary->bytes, dictionary->used), dictionary->used);
        }
      }
      fprintf(header, "}");
    }
    fprintf(header, "]}");
  }
  fprintf(header, "},\"size\":%zu", position);
  return fflush(into) == 0 && !ferror(into);
}
