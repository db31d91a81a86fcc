/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables in Arrow's layout: each column is a flat array with a bitmap of the rows that have a value. Texts are numbers of
 * entries in a dictionary.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST_COLUMNS = 128 };

enum kind { BOOLEAN, INT8, INT16, INT32, INT64, FLOAT32, TEXT };

struct dictionary {
  char *bytes;
  int32_t *offsets; /* count + 1 */
  uint32_t count, room;
  size_t used, size;
  /* Keys of interned entries, which are not the texts: an address in its bytes, say. */
  uint8_t *keys;
  size_t keys_used, keys_size;
  struct slot {
    uint64_t hash;
    uint32_t entry; /* from 1; 0: free */
    uint32_t key;   /* where its key begins */
  } *slots;
  uint32_t slot_count;
};

struct column {
  const char *name;
  enum kind kind;
  struct dictionary *dictionary; /* of a TEXT */
  uint8_t *data, *valid;
  size_t present; /* rows with a value */
};

struct table {
  const char *name;
  struct column *columns;
  unsigned column_count;
  size_t rows, room;
};

/* A row in preparation: values by column, and which of them it has. */
struct row {
  int64_t value[MOST_COLUMNS];
  uint64_t has[MOST_COLUMNS / 64];
};

static inline void
row_clear(struct row *row)
{
  for(unsigned i = 0; i < MOST_COLUMNS / 64; i++) {
    row->has[i] = 0;
  }
}

static inline void
row_set(struct row *row, unsigned column, int64_t value)
{
  row->value[column] = value;
  row->has[column / 64] |= UINT64_C(1) << column % 64;
}

static inline void
row_unset(struct row *row, unsigned column)
{
  row->has[column / 64] &= ~(UINT64_C(1) << column % 64);
}

static inline bool
row_has(const struct row *row, unsigned column)
{
  return row->has[column / 64] >> column % 64 & 1;
}

void table_append(struct table *table, const struct row *row);

/* Replaces a value of a row that was appended. */
void table_replace(struct table *table, size_t row, unsigned column, int64_t value);

/* A value of a row that was appended, and whether it has one. */
static inline int64_t
value(const struct table *table, size_t row, unsigned column)
{
  const struct column *field = &table->columns[column];

  switch(field->kind) {
  case BOOLEAN: return field->data[row / 8] >> row % 8 & 1;
  case INT8: return (int8_t)field->data[row];
  case INT16: return ((int16_t *)(void *)field->data)[row];
  case INT64: return ((int64_t *)(void *)field->data)[row];
  default: return ((int32_t *)(void *)field->data)[row];
  }
}

static inline bool
has(const struct table *table, size_t row, unsigned column)
{
  const struct column *field = &table->columns[column];
  return field->present > 0 && (field->valid[row / 8] >> row % 8 & 1);
}

int64_t row_of_float(float value);

/* Returns the number of the entry for a key; `text` is called for a new key to write its text (at most 128 bytes). */
uint32_t dictionary_intern(struct dictionary *dictionary, const void *key, size_t size,
                           size_t (*text)(char *text, const uint8_t *key, size_t size));

/* Adds an entry without a key. */
uint32_t dictionary_add(struct dictionary *dictionary, const char *text, size_t length);

/* The hash of FNV-1a with 64 bits. */
uint64_t hash_of(const uint8_t *bytes, size_t count);

/* Writes the arrays to `into` and describes them to `header` as JSON. Returns false if `into` can't be written. */
bool tables_write(struct table *const tables[], unsigned count, FILE *into, FILE *header);

/* Memory that grows is zero where it is new. */
void *grown(void *memory, size_t before, size_t after);

/* Frees memory of this size that `grown` gave; free() would not do for large memory. */
void release(void *memory, size_t size);

#endif
